# Pooling, and the end of the images.

"""
    MaxPool{T}()

The largest of each 2x2 pixels.
"""
mutable struct MaxPool{T} <: Layer
    y::Array{T, 4}
    dx::Array{T, 4}
    chosen::Array{UInt8, 4}
end

MaxPool{T}() where {T} = MaxPool(Array{T}(undef, 0, 0, 0, 0), Array{T}(undef, 0, 0, 0, 0), zeros(UInt8, 0, 0, 0, 0))

replica(::MaxPool{T}) where {T} = MaxPool{T}()

function forward!(layer::MaxPool, x, training)
    width, height, images, channels = size(x)
    layer.dx = reuse(layer.dx, size(x)...)
    layer.y = reuse(layer.y, width ÷ 2, height ÷ 2, images, channels)
    layer.chosen = reuse(layer.chosen, size(layer.y)...)
    pool_pairs!(layer.y, layer.chosen, x)
    return layer.y
end

# Of equal pixels the first counts, line by line.
function pool_pairs!(y, chosen, x)
    @inbounds for channel in axes(y, 4), image in axes(y, 3), j in axes(y, 2)
        @simd for i in axes(y, 1)
            a, b = x[2i - 1, 2j - 1, image, channel], x[2i, 2j - 1, image, channel]
            c, d = x[2i - 1, 2j, image, channel], x[2i, 2j, image, channel]
            upper, which_upper = max(a, b), ifelse(b > a, 0x2, 0x1)
            lower, which_lower = max(c, d), ifelse(d > c, 0x4, 0x3)
            y[i, j, image, channel] = max(upper, lower)
            chosen[i, j, image, channel] = ifelse(lower > upper, which_lower, which_upper)
        end
    end
end

function backward!(layer::MaxPool, dy)
    unpool_pairs!(layer.dx, layer.chosen, dy)
    return layer.dx
end

function unpool_pairs!(dx, chosen, dy)
    none = zero(eltype(dx))
    odd = isodd(size(dx, 1)) || isodd(size(dx, 2))
    odd && fill!(dx, none)
    @inbounds for channel in axes(dy, 4), image in axes(dy, 3), j in axes(dy, 2)
        @simd for i in axes(dy, 1)
            gradient, which = dy[i, j, image, channel], chosen[i, j, image, channel]
            dx[2i - 1, 2j - 1, image, channel] = ifelse(which == 0x1, gradient, none)
            dx[2i, 2j - 1, image, channel] = ifelse(which == 0x2, gradient, none)
            dx[2i - 1, 2j, image, channel] = ifelse(which == 0x3, gradient, none)
            dx[2i, 2j, image, channel] = ifelse(which == 0x4, gradient, none)
        end
    end
end

"""
    max_pool!(y, x)

The largest of each 3x3 pixels, in steps of 2, with one pixel of padding that is never the largest. Forward only.
"""
function max_pool!(y, x)
    width, height = size(x)
    line = Vector{eltype(x)}(undef, width + 2)
    line[1] = line[width + 2] = typemin(eltype(x))
    @inbounds for channel in axes(y, 4), image in axes(y, 3), j in axes(y, 2)
        above, at, below = max(2j - 2, 1), 2j - 1, min(2j, height)
        @simd for i in 1:width
            three = max(x[i, above, image, channel], x[i, at, image, channel])
            line[i + 1] = max(three, x[i, below, image, channel])
        end
        @simd for i in axes(y, 1)
            y[i, j, image, channel] = max(max(line[2i - 1], line[2i]), line[2i + 1])
        end
    end
    return y
end

"""
    global_mean!(y, x)

The mean of each channel of each image: `y` is `(channels, images)`.
"""
function global_mean!(y, x)
    @inbounds for channel in axes(x, 4), image in axes(x, 3)
        total = zero(eltype(x))
        for j in axes(x, 2)
            @simd for i in axes(x, 1)
                total += x[i, j, image, channel]
            end
        end
        y[channel, image] = total / (size(x, 1) * size(x, 2))
    end
    return y
end

"""
    Flatten{T}()

Images to vectors: `(width, height, images, channels)` to `(features, images)`, a channel after the other.
"""
mutable struct Flatten{T} <: Layer
    y::Matrix{T}
    dx::Array{T, 4}
end

Flatten{T}() where {T} = Flatten(Matrix{T}(undef, 0, 0), Array{T}(undef, 0, 0, 0, 0))

replica(::Flatten{T}) where {T} = Flatten{T}()

function forward!(layer::Flatten, x, training)
    width, height, images, channels = size(x)
    layer.dx = reuse(layer.dx, size(x)...)
    layer.y = reuse(layer.y, width * height * channels, images)
    permutedims!(reshape(layer.y, width, height, channels, images), x, (1, 2, 4, 3))
    return layer.y
end

function backward!(layer::Flatten, dy)
    width, height, images, channels = size(layer.dx)
    permutedims!(layer.dx, reshape(dy, width, height, channels, images), (1, 2, 4, 3))
    return layer.dx
end
