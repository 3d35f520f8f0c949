# ResNet-50 v1.5 as a feature extractor: photographs to 2048 features each, forward only.

using .Layers

# --- model ---
struct Bottleneck
    conv1::Convolution{Float32}
    conv2::Convolution{Float32}
    conv3::Convolution{Float32}
    downsample::Union{Nothing, Convolution{Float32}}
end

function (block::Bottleneck)(x)
    y = forward!(block.conv1, x, false)
    y = forward!(block.conv2, y, false)
    y = forward!(block.conv3, y, false)
    shortcut = block.downsample === nothing ? x : forward!(block.downsample, x, false)
    y .= max.(y .+ shortcut, 0)
    return y
end

struct ResNet50
    job::NamedTuple
    pixels::Pixels{Float32}
    conv1::Convolution{Float32}
    blocks::Vector{Bottleneck}
end

function (model::ResNet50)(images)
    x = forward!(model.pixels, images, false)
    x = forward!(model.conv1, x, false)
    width, height, count, channels = size(x)
    x = max_pool!(similar(x, (width + 1) ÷ 2, (height + 1) ÷ 2, count, channels), x)
    for block in model.blocks
        x = block(x)
    end
    return global_mean!(similar(x, size(x, 4), count), x)
end

# A convolution and the batch normalisation after it, which for stored statistics is a factor and a bias.
function convolution(weights, convolution, normalization, epsilon; options...)
    gamma, beta, mean, variance = (
        weights["$normalization.$part"] for part in ("weight", "bias", "running_mean", "running_var")
    )
    factor = gamma ./ sqrt.(variance .+ Float32(epsilon))
    weight = weights["$convolution.weight"] .* reshape(factor, 1, 1, 1, :)
    return Convolution(weight, beta .- mean .* factor; options...)
end

function layer(weights, name, epsilon; blocks, stride)
    return map(0:(blocks - 1)) do number
        block, step = "$name.$number", number == 0 ? stride : 1
        conv(index; options...) = convolution(weights, "$block.conv$index", "$block.bn$index", epsilon; options...)
        downsample() = convolution(weights, "$block.downsample.0", "$block.downsample.1", epsilon; stride = step)
        Bottleneck(
            conv(1; relu = true),
            conv(2; relu = true, stride = step, padding = 1),
            conv(3),
            haskey(weights, "$block.downsample.0.weight") ? downsample() : nothing,
        )
    end
end

# --- build ---
function build(job, weights)
    epsilon = job.batch_norm_epsilon
    model = ResNet50(
        job,
        Pixels{Float32}(job.mean, job.deviation),
        convolution(weights, "conv1", "bn1", epsilon; stride = 2, padding = 3, relu = true),
        [
            layer(weights, "layer1", epsilon; blocks = 3, stride = 1)
            layer(weights, "layer2", epsilon; blocks = 4, stride = 2)
            layer(weights, "layer3", epsilon; blocks = 6, stride = 2)
            layer(weights, "layer4", epsilon; blocks = 3, stride = 2)
        ],
    )
    return [model; [replica(model) for _ in 2:(job.threads)]]
end

# For another thread: the same weights, working arrays of its own.
Layers.replica(model::ResNet50) =
    ResNet50(model.job, replica(model.pixels), replica(model.conv1), map(replica, model.blocks))
Layers.replica(block::Bottleneck) =
    Bottleneck(replica(block.conv1), replica(block.conv2), replica(block.conv3), replica(block.downsample))
Layers.replica(::Nothing) = nothing

# --- prediction ---
function predict(model::Vector{ResNet50}, inputs)
    features = Matrix{Float32}(undef, 2048, size(inputs, 4))
    batch_size = first(model).job.batch_size
    for start in 1:batch_size:size(inputs, 4)
        batch = start:min(start + batch_size - 1, size(inputs, 4))
        each_share(length(batch), min(length(batch), length(model))) do thread, share
            images = batch[share]
            features[:, images] = model[thread](view(inputs, :, :, :, images))
        end
    end
    return features
end
