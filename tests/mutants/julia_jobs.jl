# Runs jobs one after another in one Julia: `julia julia_jobs.jl JOB RECORD JOB RECORD ...`.
include("../../julia/src/start.jl")

for (job, record) in Iterators.partition(ARGS, 2)
    Rosetta.run(job, record, time_ns())
end
