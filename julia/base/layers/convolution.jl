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
        copy_patches!(layer.patches, x, strip, width, height, size(layer.weight, 1), layer.stride, layer.padding)
        work(rows, reshape(view(layer.patches, 1:(length(rows) * columns)), length(rows), columns))
    end
end

# patches[position, (i, j, channel)] = x at the position, moved by (i, j); zero outside of the image. A strip may end in
# another image than it begins in.
function copy_patches!(patches, x, strip, width, height, kernel, stride, padding)
    plane_width, plane_height, images, channels = size(x)
    moves = stride == 1 && width == plane_width
    target = 0  # how much of `patches` is written
    for channel in 1:channels, j in 1:kernel, i in 1:kernel
        line = first(strip)
        while line <= last(strip)
            image, above = divrem(line - 1, height)
            ys = (above + 1):min(height, above + 1 + last(strip) - line)
            plane = ((channel - 1) * images + image) * plane_width * plane_height
            if moves
                copy_moved!(patches, target, x, plane, ys, width, height, i - padding - 1, j - padding - 1)
            else
                copy_strided!(patches, target, x, plane, ys, width, plane_width, plane_height, i - padding, j - padding, stride)
            end
            target += length(ys) * width
            line += length(ys)
        end
    end
end

# Lines ys of a plane moved by (right, down): one copy, and zeros where it comes from outside of the plane.
function copy_moved!(patches, target, x, plane, ys, width, height, right, down)
    inside = max(first(ys), 1 - down):min(last(ys), height - down)
    start = target + (first(inside) - first(ys)) * width
    from = plane + (first(inside) + down - 1) * width + right
    count = length(inside) * width
    @inbounds for index in (target + 1):start
        patches[index] = 0
    end
    skipped = max(0, -right)
    count > 0 && unsafe_copyto!(patches, start + skipped + 1, x, from + skipped + 1, count - abs(right))
    edge = right < 0 ? (1:-right) : ((width - right + 1):width)
    @inbounds for line in 0:(length(inside) - 1), column in edge
        patches[start + line * width + column] = 0
    end
    @inbounds for index in (start + count + 1):(target + length(ys) * width)
        patches[index] = 0
    end
end

# Lines ys whose pixel (column, y) is the plane's at (stride * (column - 1) + i, stride * (y - 1) + j).
function copy_strided!(patches, target, x, plane, ys, width, plane_width, plane_height, i, j, stride)
    @inbounds for y in ys
        from_line = stride * (y - 1) + j
        from = plane + (from_line - 1) * plane_width + i
        inside = 1 <= from_line <= plane_height
        for column in 1:width
            step = stride * (column - 1)
            patches[target + column] = inside && 1 <= step + i <= plane_width ? x[from + step] : zero(eltype(x))
        end
        target += width
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
