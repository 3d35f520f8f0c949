# CNN on CIFAR-10: four convolutions and two dense layers, trained by SGD with momentum.

using Flux
using Flux: logitcrossentropy, onehotbatch
using Random

# --- model ---
function cnn(job, weights)
    convolution(name) = Conv(flipped(weights["$name.weight"]), copy(weights["$name.bias"]), relu; pad = 1)
    dense(name, activation) = Dense(permutedims(weights["$name.weight"]), copy(weights["$name.bias"]), activation)
    return Chain(
        scale = pixels -> pixels ./ 255.0f0,
        conv1 = convolution("conv1"),
        conv2 = convolution("conv2"),
        pool1 = MaxPool((2, 2)),
        dropout1 = Dropout(job.dropout_conv),
        conv3 = convolution("conv3"),
        conv4 = convolution("conv4"),
        pool2 = MaxPool((2, 2)),
        dropout2 = Dropout(job.dropout_conv),
        flatten = Flux.flatten,
        dense1 = dense("dense1", relu),
        dropout3 = Dropout(job.dropout_dense),
        dense2 = dense("dense2", identity),
    )
end

# Conv turns its kernel around, as mathematics has it; the given weights are for kernels that are not.
flipped(kernel) = kernel[end:-1:1, end:-1:1, :, :]

# --- build ---
function build(job, weights)
    Random.seed!(job.seed)
    network = cnn(job, weights) |> device(job)
    optimizer = Flux.setup(Momentum(job.learning_rate, job.momentum), network)
    return (job = job, network = network, optimizer = optimizer)
end

# --- training ---
function train(model, inputs, labels, batches)
    to_device = device(model.job)
    return map(eachcol(batches)) do batch
        examples = batch .+ 1
        images, targets = (inputs[:, :, :, examples], onehotbatch(labels[examples], 0:9)) |> to_device
        loss, (gradient,) = Flux.withgradient(model.network) do network
            logitcrossentropy(network(images), targets)
        end
        Flux.update!(model.optimizer, model.network, gradient)
        loss
    end
end

# --- prediction ---
function predict(model, inputs)
    to_device = device(model.job)
    batches = Iterators.partition(axes(inputs, 4), model.job.batch_size)
    return mapreduce(batch -> model.network(to_device(inputs[:, :, :, batch])), hcat, batches)
end
