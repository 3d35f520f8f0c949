# ResNet-50 v1.5 as a feature extractor: photographs to 2048 features each, forward only.

using Knet
using Statistics: mean

# --- model ---
struct Chain
    layers
end

(chain::Chain)(x) = foldl((x, layer) -> layer(x), chain.layers; init = x)

struct ConvNorm
    weight
    options
    moments
    gamma_beta
    epsilon
end

# Mode 1: the kernel is not turned around.
(layer::ConvNorm)(x) =
    batchnorm(conv4(layer.weight, x; mode = 1, layer.options...), layer.moments, layer.gamma_beta; eps = layer.epsilon)

# A convolution and the batch normalization after it, by their names in the given weights.
function convolution(weights, convolution, normalization, epsilon; options...)
    array(part) = Knet.atype(copy(weights["$normalization.$part"]))
    by_channel(part) = reshape(array(part), 1, 1, :, 1)
    return ConvNorm(
        Knet.atype(copy(weights["$convolution.weight"])),
        options,
        bnmoments(mean = by_channel("running_mean"), var = by_channel("running_var")),
        vcat(array("weight"), array("bias")),
        epsilon,
    )
end

activated(layer) = x -> relu.(layer(x))

struct Bottleneck
    main
    shortcut
end

(block::Bottleneck)(x) = relu.(block.main(x) .+ block.shortcut(x))

function bottleneck(weights, name, epsilon; stride)
    part(number; options...) = convolution(weights, "$name.conv$number", "$name.bn$number", epsilon; options...)
    main = Chain((activated(part(1)), activated(part(2; stride = stride, padding = 1)), part(3)))
    shortcut = if haskey(weights, "$name.downsample.0.weight")
        convolution(weights, "$name.downsample.0", "$name.downsample.1", epsilon; stride = stride)
    else
        identity
    end
    return Bottleneck(main, shortcut)
end

layer(weights, name, epsilon; blocks, stride) =
    [bottleneck(weights, "$name.$number", epsilon; stride = number == 0 ? stride : 1) for number in 0:(blocks - 1)]

function resnet50(job, weights)
    epsilon = job.batch_norm_epsilon
    return Chain([
        activated(convolution(weights, "conv1", "bn1", epsilon; stride = 2, padding = 3))
        x -> pool(x; window = 3, stride = 2, padding = 1)
        layer(weights, "layer1", epsilon; blocks = 3, stride = 1)
        layer(weights, "layer2", epsilon; blocks = 4, stride = 2)
        layer(weights, "layer3", epsilon; blocks = 6, stride = 2)
        layer(weights, "layer4", epsilon; blocks = 3, stride = 2)
        x -> mat(mean(x; dims = (1, 2)))
    ])
end

# --- build ---
function build(job, weights)
    by_colour(values) = Knet.atype(reshape(values, 1, 1, :, 1))
    return (
        job = job, mean = by_colour(job.mean), deviation = by_colour(job.deviation), network = resnet50(job, weights),
    )
end

normalized(model, images) = (Knet.atype(images) ./ 255 .- model.mean) ./ model.deviation

# --- prediction ---
function predict(model, inputs)
    batches = Iterators.partition(axes(inputs, 4), model.job.batch_size)
    return mapreduce(batch -> model.network(normalized(model, inputs[:, :, :, batch])), hcat, batches)
end
