# Dense layer.

"""
    Dense(weight, bias; relu = false)

`y = weight' * x .+ bias`, and max(y, 0) with `relu`; `weight` is `(inputs, outputs)`.
"""
mutable struct Dense{T} <: Layer
    weight::Matrix{T}
    bias::Vector{T}
    relu::Bool
    weight_gradient::Matrix{T}
    bias_gradient::Vector{T}
    x::Matrix{T}
    y::Matrix{T}
    dx::Matrix{T}
end

function Dense(weight, bias; relu = false)
    empty2 = similar(weight, 0, 0)
    return Dense(weight, bias, relu, similar(weight), similar(bias), empty2, empty2, empty2)
end

parameters(layer::Dense) = ((layer.weight, layer.weight_gradient), (layer.bias, layer.bias_gradient))

replica(layer::Dense) = Dense(layer.weight, layer.bias; relu = layer.relu)

function forward!(layer::Dense, x, training)
    layer.x = x
    layer.y = reuse(layer.y, length(layer.bias), size(x, 2))
    multiply!(layer.y, layer.weight, x; ta = 'T')
    layer.y .+= layer.bias
    layer.relu && (layer.y .= max.(layer.y, 0))
    return layer.y
end

function backward!(layer::Dense, dy)
    layer.relu && mask_relu!(dy, layer.y)
    multiply!(layer.weight_gradient, layer.x, dy; tb = 'T')
    sum_columns!(layer.bias_gradient, dy)
    layer.dx = reuse(layer.dx, size(layer.x)...)
    multiply!(layer.dx, layer.weight, dy)
    return layer.dx
end

function sum_columns!(sums, matrix)
    fill!(sums, 0)
    @inbounds for column in axes(matrix, 2)
        @simd for row in axes(matrix, 1)
            sums[row] += matrix[row, column]
        end
    end
end
