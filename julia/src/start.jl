# Makes the harness known, in a Julia of its own (main.jl) or inside of another process (bridge/main.py).
const FIRST_LINE_NS = time_ns()

# Of the user's environments nothing is read: the harness, and what comes with Julia.
append!(empty!(LOAD_PATH), [dirname(@__DIR__), "@stdlib"])
using Rosetta
