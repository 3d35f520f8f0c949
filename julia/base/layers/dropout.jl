# Dropout.

"""
    Dropout{T}(rate, seed)

In training each number is 0 with probability `rate`, else divided by `1 - rate` (Srivastava et al. 2014, section 10).
A replica draws other numbers.
"""
mutable struct Dropout{T, N} <: Layer
    rate::T
    random::MersenneTwister
    scale::Array{T, N}
    y::Array{T, N}
    off::Bool
end

Dropout{T, N}(rate, seed) where {T, N} =
    Dropout{T, N}(rate, MersenneTwister(seed), zeros(T, ntuple(_ -> 0, N)), zeros(T, ntuple(_ -> 0, N)), true)

replica(layer::Dropout{T, N}) where {T, N} = Dropout{T, N}(layer.rate, rand(layer.random, UInt32))

function forward!(layer::Dropout, x, training)
    layer.off = !training || layer.rate == 0
    layer.off && return x
    layer.scale = reuse(layer.scale, size(x)...)
    layer.y = reuse(layer.y, size(x)...)
    rand!(layer.random, layer.scale)
    drop!(layer.y, layer.scale, x, layer.rate)
    return layer.y
end

function drop!(y, scale, x, rate)
    kept = 1 / (1 - rate)
    @inbounds @simd for index in eachindex(y, scale, x)
        scale[index] = ifelse(scale[index] < rate, zero(rate), kept)
        y[index] = x[index] * scale[index]
    end
end

function backward!(layer::Dropout, dy)
    layer.off || (dy .*= layer.scale)
    return dy
end
