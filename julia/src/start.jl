# Makes the harness known, in a Julia of its own (main.jl) or inside of another process (bridge/main.py).
const FIRST_LINE_NS = time_ns()

# Of the user's environments nothing is read. The harness is read from its source, so no compiled code is left anywhere.
append!(empty!(LOAD_PATH), ["@stdlib"])
include("Rosetta.jl")
