# A model of one number, that grows by one with each step; and the faults of which a run can die.

struct Toy
    number::Base.RefValue{Float32}
    fault::String
end

build(job, weights) = Toy(Ref(weights["number"][1]), get(job, :fault, ""))

function train(model, inputs, labels, batches)
    isempty(model.fault) || getfield(@__MODULE__, Symbol(model.fault))()
    losses = [1 / (model.number[] + step) for step in axes(batches, 2)]
    model.number[] += size(batches, 2)
    return losses
end

predict(model, inputs) = repeat([0, model.number[]], 1, size(inputs, 2))

exception() = error("the weights\ndo not fit")

function exception_in_thread()
    collect_garbage()
    Threads.@threads for part in 1:2
        error("in part $part")
    end
end

missing_package() = @eval import NoSuchPackage

memory() = zeros(2^52)

leave() = exit(3)

# Which of the libraries that could crash beside Julia, or crash it, are in the process.
function neighbours()
    maps = read("/proc/self/maps", String)
    error("beside Julia: ", join(filter(name -> occursin(name, maps), ["python", "libtorch", "libtensorflow", "jaxlib/", "libarrow"]), ", "))
end

const NOWHERE = Ref(8)  # not known to the compiler, which makes another fault of a null pointer

segfault() = unsafe_load(Ptr{Int}(NOWHERE[]))

function endless()
    while time() > 0
    end
end

# Threads that need garbage collected all at once, with exceptions in between.
collect_garbage() = Threads.@threads for part in 1:2
    for round in 1:60
        part == 1 && round % 20 == 0 && GC.gc()
        try
            sum(sum(Any[number for number in 1:1000]) for _ in 1:10) > 0 && error("caught")
        catch
        end
    end
end
