# Runs one job: `julia julia/src/main.jl JOB RECORD` (docs/contract.md, section 1).
include("start.jl")

if length(ARGS) != 2
    println(stderr, "usage: julia julia/src/main.jl JOB RECORD")
    exit(2)
end
exit(Rosetta.run(ARGS[1], ARGS[2], FIRST_LINE_NS))
