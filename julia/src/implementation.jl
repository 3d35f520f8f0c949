# Loads an implementation and the framework's file beside it, and answers in plain arrays for both.

"""
    Implementation(source)

One framework's one model. What goes in and comes out as `model` or `inputs` is the framework's own.
`framework.jl` and the model's file are read into one module, so the model sees what the framework's file brings.
"""
struct Implementation
    files::Module
end

function Implementation(source::AbstractString)
    folder = dirname(source)
    pushfirst!(LOAD_PATH, environment(basename(folder)))
    files = Module(Symbol(basename(source)))  # a name that no function or type in the file can have
    Core.eval(files, :(include(path) = Base.include($files, path)))
    Base.include(files, joinpath(folder, "framework.jl"))
    Base.include(files, source)
    return Implementation(files)
end

# The files were read after this code was compiled: only the latest world knows their functions.
call(implementation, name, arguments...) =
    Base.invokelatest(Base.invokelatest(getfield, implementation.files, name), arguments...)

"""
    configure(implementation, job)

Set threads, precision and memory growth; refuse what the framework cannot do.
"""
configure(implementation, job) = call(implementation, :configure, job)

"""
    load(implementation, arrays)

Turn mapped tensors into the framework's.
"""
load(implementation, arrays) =
    Dict{String, Any}(name => call(implementation, :load, array) for (name, array) in arrays)

"""
    build(implementation, job, weights)

Give the model with its initial weights.
"""
build(implementation, job, weights) = call(implementation, :build, job, weights)

"""
    train(implementation, model, inputs, labels, batches)

Make one optimizer step for each batch and give the losses.
"""
train(implementation, model, inputs, labels, batches) =
    call(implementation, :fetch, call(implementation, :train, model, inputs, labels, batches))

"""
    predict(implementation, model, inputs)

Give the outputs for all inputs, a column for each.
"""
predict(implementation, model, inputs) = call(implementation, :fetch, call(implementation, :predict, model, inputs))

"""
    describe(implementation, job)

Device, threads and precision as the framework itself reports them.
"""
describe(implementation, job) = call(implementation, :describe, job)
