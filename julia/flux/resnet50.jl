# ResNet-50 v1.5 as a feature extractor: photographs to 2048 features each, forward only.

using Flux

# --- model ---
struct Normalize{A}
    mean::A
    deviation::A
end

Flux.@layer Normalize

Normalize(mean::Vector, deviation::Vector) =
    Normalize(Float32.(reshape(mean, 1, 1, :)), Float32.(reshape(deviation, 1, 1, :)))

(layer::Normalize)(pixels) = (pixels ./ 255.0f0 .- layer.mean) ./ layer.deviation

# A convolution and the batch normalization after it, by their names in the given weights.
function convolution(weights, convolution, normalization, epsilon, activation = identity; options...)
    kernel = weights["$convolution.weight"]
    norm = BatchNorm(size(kernel, 4), activation; eps = Float32(epsilon))
    norm.γ .= weights["$normalization.weight"]
    norm.β .= weights["$normalization.bias"]
    norm.μ .= weights["$normalization.running_mean"]
    norm.σ² .= weights["$normalization.running_var"]
    # Conv turns its kernel around, as mathematics has it; the given weights are for kernels that are not.
    return Chain(Conv(kernel[end:-1:1, end:-1:1, :, :], false; options...), norm)
end

function bottleneck(weights, name, epsilon; stride)
    part(number, activation = identity; options...) =
        convolution(weights, "$name.conv$number", "$name.bn$number", epsilon, activation; options...)
    main = Chain(part(1, relu), part(2, relu; stride = stride, pad = 1), part(3))
    shortcut = if haskey(weights, "$name.downsample.0.weight")
        convolution(weights, "$name.downsample.0", "$name.downsample.1", epsilon; stride = stride)
    else
        identity
    end
    return Parallel((y, x) -> relu.(y .+ x), main, shortcut)
end

layer(weights, name, epsilon; blocks, stride) =
    [bottleneck(weights, "$name.$number", epsilon; stride = number == 0 ? stride : 1) for number in 0:(blocks - 1)]

# Chain takes a vector of layers where a tuple of so many would take long to compile.
function resnet50(job, weights)
    epsilon = job.batch_norm_epsilon
    return Chain([
        Normalize(job.mean, job.deviation)
        convolution(weights, "conv1", "bn1", epsilon, relu; stride = 2, pad = 3)
        MaxPool((3, 3); stride = 2, pad = 1)
        layer(weights, "layer1", epsilon; blocks = 3, stride = 1)
        layer(weights, "layer2", epsilon; blocks = 4, stride = 2)
        layer(weights, "layer3", epsilon; blocks = 6, stride = 2)
        layer(weights, "layer4", epsilon; blocks = 3, stride = 2)
        GlobalMeanPool()
        Flux.flatten
    ])
end

# --- build ---
build(job, weights) = (job = job, network = resnet50(job, weights) |> device(job))

# --- prediction ---
function predict(model, inputs)
    to_device = device(model.job)
    batches = Iterators.partition(axes(inputs, 4), model.job.batch_size)
    return mapreduce(batch -> model.network(to_device(inputs[:, :, :, batch])), hcat, batches)
end
