# CNN on CIFAR-10: four convolutions and two dense layers, trained by SGD with momentum.

using Knet

# --- model ---
struct Chain
    layers
end

(chain::Chain)(x) = foldl((x, layer) -> layer(x), chain.layers; init = x)
(chain::Chain)(x, labels) = nll(chain(x), labels)

struct Conv
    weight
    bias
end

# Mode 1: the kernel is not turned around.
(conv::Conv)(x) = relu.(conv4(conv.weight, x; padding = 1, mode = 1) .+ conv.bias)

struct Dense
    weight
    bias
    activation
end

(dense::Dense)(x) = dense.activation.(dense.weight * mat(x) .+ dense.bias)

function cnn(job, weights)
    conv(name) = Conv(param(copy(weights["$name.weight"])), param(reshape(copy(weights["$name.bias"]), 1, 1, :, 1)))
    dense(name, activation) =
        Dense(param(permutedims(weights["$name.weight"])), param(copy(weights["$name.bias"])), activation)
    return Chain((
        conv("conv1"),
        conv("conv2"),
        pool,
        x -> dropout(x, job.dropout_conv),
        conv("conv3"),
        conv("conv4"),
        pool,
        x -> dropout(x, job.dropout_conv),
        dense("dense1", relu),
        x -> dropout(x, job.dropout_dense),
        dense("dense2", identity),
    ))
end

# --- build ---
function build(job, weights)
    Knet.seed!(job.seed)
    return (job = job, network = cnn(job, weights))
end

pixels(images) = Knet.atype(images) ./ 255

# --- training ---
function train(model, inputs, labels, batches)
    data = ((pixels(inputs[:, :, :, batch .+ 1]), labels[batch .+ 1] .+ 1) for batch in eachcol(batches))
    return collect(momentum(model.network, data; lr = model.job.learning_rate, gamma = model.job.momentum))
end

# --- prediction ---
function predict(model, inputs)
    batches = Iterators.partition(axes(inputs, 4), model.job.batch_size)
    return mapreduce(batch -> model.network(pixels(inputs[:, :, :, batch])), hcat, batches)
end
