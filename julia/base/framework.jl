# What plain Julia needs that is the same for all models.

include("layers/Layers.jl")

using LinearAlgebra: BLAS
using Main.Rosetta: UnavailableError

"""
Refuse what plain Julia cannot do. Each of its threads works on a share of a batch, so BLAS gets one thread.
"""
function configure(job)
    job.device == "cpu" || throw(UnavailableError("Plain Julia runs on the CPU. Choose device: cpu."))
    job.precision == "float32" || throw(UnavailableError("Plain Julia computes in float32. Choose precision: float32."))
    if Threads.nthreads() != job.threads
        error("Julia was started with $(Threads.nthreads()) threads, not $(job.threads). Set JULIA_NUM_THREADS.")
    end
    BLAS.set_num_threads(1)
end

"""
The mapped array itself.
"""
load(array) = array

"""
The array itself.
"""
fetch(value) = value

"""
There is nothing to wait for.
"""
synchronize() = nothing

"""
Device, threads and precision as Julia reports them.
"""
describe(job) = Dict(
    "device" => Dict("kind" => "cpu", "name" => "CPU ($(first(Sys.cpu_info()).model))"),
    "threads" => Threads.nthreads(),
    "precision" => "float32",
)
