# Runs one job: `julia julia/src/main.jl JOB RECORD` (docs/contract.md, section 1).
const FIRST_LINE_NS = time_ns()

if length(ARGS) != 2
    println(stderr, "usage: julia julia/src/main.jl JOB RECORD")
    exit(2)
end
# Of the user's environments nothing is read: the harness, and what comes with Julia.
append!(empty!(LOAD_PATH), [dirname(@__DIR__), "@stdlib"])
using Rosetta
exit(Rosetta.run(ARGS[1], ARGS[2], FIRST_LINE_NS))
