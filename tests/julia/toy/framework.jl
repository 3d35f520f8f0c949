# A framework of plain Julia, that does what a test asks for.

using Main.Rosetta: UnavailableError

function configure(job)
    job.precision == "float32" || throw(UnavailableError("The toy computes in float32."))
end

load(array) = array
fetch(value) = value
synchronize() = nothing

describe(job) = Dict(
    "device" => Dict("kind" => job.device, "name" => "toy"),
    "threads" => Threads.nthreads(),
    "precision" => job.precision,
)
