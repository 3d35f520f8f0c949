# What Knet needs that is the same for all models.

# Read by NVIDIA's libraries when they start: products of float32 are not rounded to TF32.
ENV["NVIDIA_TF32_OVERRIDE"] = "0"

using Knet
using Knet: CUDA
using LinearAlgebra: BLAS
using Main.Rosetta: UnavailableError

"""
Refuse what these models cannot do; set the threads of BLAS, and the kind of array that Knet works with.
"""
function configure(job)
    job.precision == "float32" || throw(UnavailableError("Knet computes in float32. Choose precision: float32."))
    if Threads.nthreads() != job.threads
        error("Julia was started with $(Threads.nthreads()) threads, not $(job.threads). Set JULIA_NUM_THREADS.")
    end
    if job.device == "cuda" && !CUDA.functional()
        throw(UnavailableError("Knet's CUDA.jl sees no GPU. Choose device: cpu."))
    end
    BLAS.set_num_threads(job.threads)
    Knet.array_type[] = job.device == "cuda" ? CuArray{Float32} : Array{Float32}
end

"""
The mapped array itself.
"""
load(array) = array

"""
A plain array in host memory.
"""
fetch(value) = convert(Array, value)

"""
Wait until the GPU, where one is in use, has finished.
"""
synchronize() = Knet.atype() <: Array || CUDA.synchronize()

"""
Device, threads and precision as Knet and Julia report them.
"""
function describe(job)
    cpu = Knet.atype() <: Array
    name = cpu ? "CPU ($(first(Sys.cpu_info()).model))" : CUDA.name(CUDA.device())
    return Dict(
        "device" => Dict("kind" => cpu ? "cpu" : "cuda", "name" => name),
        "threads" => Threads.nthreads(),
        "precision" => "float32",
    )
end
