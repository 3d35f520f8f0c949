# What Flux needs that is the same for all models.

using Flux
using LinearAlgebra: BLAS
using Main.Rosetta: UnavailableError

"""
Refuse what these models cannot do; set the threads of BLAS; load CUDA where it is asked for.
"""
function configure(job)
    job.precision == "float32" || throw(UnavailableError("Flux computes in float32 here. Choose precision: float32."))
    if Threads.nthreads() != job.threads
        error("Julia was started with $(Threads.nthreads()) threads, not $(job.threads). Set JULIA_NUM_THREADS.")
    end
    BLAS.set_num_threads(job.threads)
    if job.device == "cuda"
        load_cuda()
        Base.invokelatest(configure_cuda, job)
    end
end

function load_cuda()
    for package in ("CUDA", "cuDNN")
        if Base.find_package(package) === nothing
            throw(UnavailableError("$package is not installed. Choose device: cpu, or install it: envs/julia.sh"))
        end
    end
    # Read by NVIDIA's libraries when they start: products of float32 are not rounded to TF32.
    ENV["NVIDIA_TF32_OVERRIDE"] = "0"
    @eval import CUDA, cuDNN
end

function configure_cuda(job)
    CUDA.functional() || throw(UnavailableError("CUDA.jl sees no GPU. Choose device: cpu."))
    CUDA.allowscalar(false)
    CUDA.seed!(job.seed)  # dropout's masks are drawn on the GPU, by a generator that Random.seed! does not reach
end

"""
The function that brings arrays and models to the job's device.
"""
device(job) = job.device == "cuda" ? gpu_device() : cpu_device()

"""
The mapped array itself.
"""
load(array) = array

"""
A plain array in host memory.
"""
fetch(value) = cpu_device()(value)

"""
Wait until the GPU, where one is in use, has finished.
"""
synchronize() = @isdefined(CUDA) && CUDA.synchronize()

"""
Device, threads and precision as Flux's devices and Julia report them.
"""
function describe(job)
    cuda = device(job) isa CUDADevice
    name = cuda ? CUDA.name(CUDA.device()) : "CPU ($(first(Sys.cpu_info()).model))"
    return Dict(
        "device" => Dict("kind" => cuda ? "cuda" : "cpu", "name" => name),
        "threads" => Threads.nthreads(),
        "precision" => "float32",
    )
end
