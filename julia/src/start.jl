# Makes the harness known, in a Julia of its own (main.jl) or inside of another process (bridge/main.py).
const FIRST_LINE_NS = time_ns()

include("environments.jl")
isolate()
# The harness is read from its source, so no compiled code is left anywhere.
include("Rosetta.jl")
