# From stored images to numbers.

"""
    Pixels{T}(mean, deviation)

Pixels 0..255 to 0..1, less each colour's mean and divided by its deviation. Its input is `(width, height, colours,
images)`, as images are stored; its output is `(width, height, images, colours)`, as the other layers take it.
"""
mutable struct Pixels{T} <: Layer
    mean::Vector{T}
    deviation::Vector{T}
    y::Array{T, 4}
end

Pixels{T}(mean, deviation) where {T} = Pixels{T}(mean, deviation, zeros(T, 0, 0, 0, 0))

replica(layer::Pixels{T}) where {T} = Pixels{T}(layer.mean, layer.deviation)

function forward!(layer::Pixels, images, training)
    width, height, colours, count = size(images)
    layer.y = reuse(layer.y, width, height, count, colours)
    scale!(layer.y, images, layer.mean, layer.deviation)
    return layer.y
end

function scale!(y, images, mean, deviation)
    @inbounds for colour in axes(y, 4), image in axes(y, 3), j in axes(y, 2)
        factor, shift = 1 / (255 * deviation[colour]), mean[colour] / deviation[colour]
        @simd for i in axes(y, 1)
            y[i, j, image, colour] = images[i, j, colour, image] * factor - shift
        end
    end
end

backward!(layer::Pixels, dy) = nothing
