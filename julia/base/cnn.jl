# CNN on CIFAR-10: four convolutions and two dense layers, trained by SGD with momentum.

using .Layers

# --- model ---
struct CNN{L}
    job::NamedTuple
    replicas::Vector{L}  # for each thread the same layers
    optimizer::SGD{Float32}
end

function cnn_layers(job, weights)
    convolution(name; options...) = Convolution(
        copy(weights["$name.weight"]), copy(weights["$name.bias"]); padding = 1, relu = true, options...,
    )
    dense(name; options...) = Dense(copy(weights["$name.weight"]), copy(weights["$name.bias"]); options...)
    return (
        Pixels{Float32}(zeros(3), ones(3)),
        convolution("conv1"; input_gradient = false),
        convolution("conv2"),
        MaxPool{Float32}(),
        Dropout{Float32, 4}(job.dropout_conv, job.seed),
        convolution("conv3"),
        convolution("conv4"),
        MaxPool{Float32}(),
        Dropout{Float32, 4}(job.dropout_conv, job.seed + 1),
        Flatten{Float32}(),
        dense("dense1"; relu = true),
        Dropout{Float32, 2}(job.dropout_dense, job.seed + 2),
        dense("dense2"),
    )
end

# --- build ---
function build(job, weights)
    layers = cnn_layers(job, weights)
    replicas = [layers; [replica(layers) for _ in 2:(job.threads)]]
    parameters = gather_parameters(replicas)
    return CNN(job, replicas, SGD(parameters; learning_rate = job.learning_rate, momentum = job.momentum))
end

# --- training ---
function train(model::CNN, inputs, labels, batches)
    losses = zeros(Float32, length(model.replicas), size(batches, 2))
    for (step, batch) in enumerate(eachcol(batches))
        each_share(length(batch)) do thread, share
            layers = model.replicas[thread]
            examples = batch[share] .+ 1
            logits = forward!(layers, view(inputs, :, :, :, examples), true)
            gradient = similar(logits)
            losses[thread, step] = cross_entropy!(gradient, logits, view(labels, examples), length(batch))
            backward!(layers, gradient)
        end
        update!(model.optimizer)
    end
    return vec(sum(losses; dims = 1))
end

# --- prediction ---
function predict(model::CNN, inputs)
    logits = Matrix{Float32}(undef, 10, size(inputs, 4))
    for first in 1:(model.job.batch_size):size(inputs, 4)
        batch = first:min(first + model.job.batch_size - 1, size(inputs, 4))
        each_share(length(batch), min(length(batch), length(model.replicas))) do thread, share
            examples = batch[share]
            logits[:, examples] = forward!(model.replicas[thread], view(inputs, :, :, :, examples), false)
        end
    end
    return logits
end
