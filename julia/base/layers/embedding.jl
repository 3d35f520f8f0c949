# Word embedding.

"""
    Embedding(weight)

A column of `weight`, `(features, words)`, for each word. Its input is a matrix of word ids, from 0 on; its output is
`(features, length(ids))`. The gradient of a word that does not occur is zero: only the columns of words that do are
written.
"""
mutable struct Embedding{T} <: Layer
    weight::Matrix{T}
    weight_gradient::Matrix{T}
    words::Matrix{Int32}
    y::Matrix{T}
end

Embedding(weight) = Embedding(weight, zero(weight), zeros(Int32, 0, 0), similar(weight, 0, 0))

parameters(layer::Embedding) = ((layer.weight, layer.weight_gradient),)

replica(layer::Embedding) = Embedding(layer.weight)

function forward!(layer::Embedding, words, training)
    # The words of the last step: their gradients have been used.
    for word in layer.words
        @inbounds layer.weight_gradient[:, word + 1] .= 0
    end
    layer.words = reuse(layer.words, size(words)...)
    copyto!(layer.words, words)
    layer.y = reuse(layer.y, size(layer.weight, 1), length(words))
    @inbounds for (place, word) in enumerate(words)
        @simd for feature in axes(layer.y, 1)
            layer.y[feature, place] = layer.weight[feature, word + 1]
        end
    end
    return layer.y
end

function backward!(layer::Embedding, dy)
    @inbounds for (place, word) in enumerate(layer.words)
        @simd for feature in axes(dy, 1)
            layer.weight_gradient[feature, word + 1] += dy[feature, place]
        end
    end
    return nothing
end
