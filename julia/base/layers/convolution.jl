# Convolution: the patches under the kernel as the rows of a matrix (im2col), times the weights (gemm).

# Rows of the matrix of patches made at a time: few enough to stay in a core's cache.
const ROWS_AT_A_TIME = 512

"""
    Convolution(weight, bias; stride = 1, padding = 0, relu = false, input_gradient = true)

Convolution of square kernels. `weight` is `(kernel, kernel, inputs, outputs)`, `bias` has a number for each output.
With `relu`, max(y, 0) is the output. `input_gradient = false` spares the first layer of a model the gradient of its
input. `backward!` needs a stride of 1 and a size that stays the same.
"""
mutable struct Convolution{T} <: Layer
    weight::Array{T, 4}
    bias::Vector{T}
    stride::Int
    padding::Int
    relu::Bool
    input_gradient::Bool
    weight_gradient::Array{T, 4}
    bias_gradient::Vector{T}
    flipped::Array{T, 4}
    patches::Vector{T}
    x::Array{T, 4}
    y::Array{T, 4}
    dx::Array{T, 4}
end

function Convolution(weight, bias; stride = 1, padding = 0, relu = false, input_gradient = true)
    empty4 = similar(weight, 0, 0, 0, 0)
    return Convolution(
        weight, bias, stride, padding, relu, input_gradient,
        similar(weight), similar(bias), empty4, similar(bias, 0), empty4, empty4, empty4,
    )
end

parameters(layer::Convolution) = ((layer.weight, layer.weight_gradient), (layer.bias, layer.bias_gradient))

replica(layer::Convolution) = Convolution(
    layer.weight, layer.bias; stride = layer.stride, padding = layer.padding, relu = layer.relu,
    input_gradient = layer.input_gradient,
)

function forward!(layer::Convolution, x, training)
    kernel, _, inputs, outputs = size(layer.weight)
    width, height = (length_after(side, kernel, layer) for side in size(x)[1:2])
    layer.x = x
    layer.y = reuse(layer.y, width, height, size(x, 3), outputs)
    convolve!(layer, layer.y, x, layer.weight)
    add_bias!(layer.y, layer.bias, layer.relu)
    return layer.y
end

length_after(side, kernel, layer) = (side + 2layer.padding - kernel) ÷ layer.stride + 1

function backward!(layer::Convolution, dy)
    layer.relu && mask_relu!(dy, layer.y)
    sum_positions!(layer.bias_gradient, dy)
    gradient = flat_kernel(layer.weight_gradient)
    positions_dy = flat(dy)
    each_strip(layer, dy, layer.x) do rows, patches
        multiply!(gradient, patches, view(positions_dy, rows, :); ta = 'T', add = first(rows) > 1)
    end
    if layer.input_gradient
        # The gradient of the input is a convolution, too: by the kernel turned around.
        kernel, _, inputs, outputs = size(layer.weight)
        layer.flipped = reuse(layer.flipped, kernel, kernel, outputs, inputs)
        flip!(layer.flipped, layer.weight)
        layer.dx = reuse(layer.dx, size(layer.x)...)
        convolve!(layer, layer.dx, dy, layer.flipped)
    end
    return layer.dx
end

# (width, height, images, channels) as (positions, channels), and a kernel as (patch, outputs).
flat(x) = reshape(x, :, size(x, 4))
flat_kernel(weight) = reshape(weight, :, size(weight, 4))

# y = x convolved with weight.
function convolve!(layer, y, x, weight)
    positions, kernel = flat(y), flat_kernel(weight)
    if size(weight, 1) == 1 && layer.stride == 1
        multiply!(positions, flat(x), kernel)  # the patches are the pixels themselves
    else
        each_strip(layer, y, x) do rows, patches
            multiply!(view(positions, rows, :), patches, kernel)
        end
    end
    return y
end

# Call work(rows, patches) for strips of whole lines of y: which rows of flat(y) they are, and the patches of x for them.
function each_strip(work::Work, layer, y, x) where {Work}
    width, height, images, _ = size(y)
    columns = size(layer.weight, 1)^2 * size(x, 4)
    lines = height * images
    lines_at_a_time = min(lines, max(1, ROWS_AT_A_TIME ÷ width))
    layer.patches = at_least(layer.patches, lines_at_a_time * width * columns)
    for first_line in 1:lines_at_a_time:lines
        strip = first_line:min(first_line + lines_at_a_time - 1, lines)
        rows = ((first(strip) - 1) * width + 1):(last(strip) * width)
        patches = reshape(view(layer.patches, 1:(length(rows) * columns)), length(rows), columns)
        copy_patches!(patches, x, strip, width, height, layer)
        work(rows, patches)
    end
end

# patches[position, (i, j, channel)] = x at the position, moved by (i, j); zero outside of the image.
function copy_patches!(patches, x, strip, width, height, layer)
    kernel = size(layer.weight, 1)
    column = 0
    for channel in axes(x, 4), j in 1:kernel, i in 1:kernel
        column += 1
        start = 1
        line = first(strip)
        while line <= last(strip)
            # Lines first_y:last_y of one image.
            image, first_y = divrem(line - 1, height) .+ 1
            last_y = min(height, first_y + last(strip) - line)
            plane = view(x, :, :, image, channel)
            target = view(patches, start:(start + width * (last_y - first_y + 1) - 1), column)
            copy_shifted!(target, plane, first_y:last_y, width, i - layer.padding, j - layer.padding, layer.stride)
            start += length(target)
            line += last_y - first_y + 1
        end
    end
end

# Lines ys of a plane whose pixel (x, y) is that of `plane` at (stride * (x - 1) + i, stride * (y - 1) + j).
function copy_shifted!(target, plane, ys, width, i, j, stride)
    plane_width, plane_height = size(plane)
    for (number, y) in enumerate(ys)
        from = stride * (y - 1) + j
        line = view(target, ((number - 1) * width + 1):(number * width))
        if !(1 <= from <= plane_height)
            fill!(line, 0)
        elseif stride == 1
            left, right = max(1, 2 - i), min(width, plane_width + 1 - i)
            @inbounds for x in 1:(left - 1)
                line[x] = 0
            end
            @inbounds @simd for x in left:right
                line[x] = plane[x + i - 1, from]
            end
            @inbounds for x in (right + 1):width
                line[x] = 0
            end
        else
            @inbounds for x in 1:width
                at = stride * (x - 1) + i
                line[x] = 1 <= at <= plane_width ? plane[at, from] : zero(eltype(line))
            end
        end
    end
end

function flip!(flipped, weight)
    kernel = size(weight, 1)
    @inbounds for output in axes(weight, 4), input in axes(weight, 3), j in 1:kernel, i in 1:kernel
        flipped[kernel + 1 - i, kernel + 1 - j, output, input] = weight[i, j, input, output]
    end
end

function add_bias!(y, bias, relu)
    positions = flat(y)
    lowest = relu ? zero(eltype(y)) : typemin(eltype(y))
    @inbounds for channel in axes(positions, 2)
        b = bias[channel]
        @simd for position in axes(positions, 1)
            positions[position, channel] = max(positions[position, channel] + b, lowest)
        end
    end
end

# Where the output of ReLU is 0, so is the gradient.
function mask_relu!(dy, y)
    @inbounds @simd for index in eachindex(dy, y)
        dy[index] = ifelse(y[index] > 0, dy[index], zero(eltype(dy)))
    end
end

function sum_positions!(sums, dy)
    positions = flat(dy)
    @inbounds for channel in axes(positions, 2)
        total = zero(eltype(dy))
        @simd for position in axes(positions, 1)
            total += positions[position, channel]
        end
        sums[channel] = total
    end
end
