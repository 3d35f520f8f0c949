"""
Julia's harness: reads a job, lets an implementation work under the clock, writes the record.

It needs the standard library alone and runs on Julia 1.5 and later.
"""
module Rosetta

using Mmap: mmap

include("json.jl")
include("errors.jl")
include("environments.jl")
include("probe.jl")
include("job.jl")
include("tensors.jl")
include("phases.jl")
include("answers.jl")
include("implementation.jl")
include("check.jl")
include("record.jl")
include("run.jl")

end
