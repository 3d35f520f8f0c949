# Every gradient against differences of the loss; every forward pass against its definition.

using .Layers: exponential, hyperbolic_tangent, sigmoid

# The largest difference between the gradient of sum(weights .* f()) with respect to `values`, one number of it at a
# time, and `gradient`.
function gradient_error(f, values, gradient, weights; step = 1e-6)
    loss() = sum(weights .* f())
    differences = map(eachindex(values)) do index
        kept = values[index]
        values[index] = kept + step
        above = loss()
        values[index] = kept - step
        below = loss()
        values[index] = kept
        (above - below) / 2step
    end
    return maximum(abs.(vec(differences) .- vec(gradient)))
end

# Check a layer's gradients of its input and of all its weights.
function check_gradients(layer, x)
    weights = randn(MersenneTwister(2), size(forward!(layer, x, true)))
    dx = backward!(layer, copy(weights))
    for (values, gradient) in ((x, copy(dx)), map(pair -> (pair[1], copy(pair[2])), parameters(layer))...)
        @test gradient_error(() -> forward!(layer, x, true), values, gradient, weights) < 1e-6
    end
end

random = MersenneTwister(1)

# Convolution by its definition; x is (width, height, images, channels).
function convolved(x, weight, bias, stride, padding)
    kernel, _, inputs, outputs = size(weight)
    length_after(side) = (side + 2padding - kernel) ÷ stride + 1
    y = zeros(length_after(size(x, 1)), length_after(size(x, 2)), size(x, 3), outputs)
    for index in CartesianIndices(y), channel in 1:inputs, j in 1:kernel, i in 1:kernel
        column, row, image, output = Tuple(index)
        from = (stride * (column - 1) + i - padding, stride * (row - 1) + j - padding)
        all(1 .<= from .<= size(x)[1:2]) || continue
        y[index] += x[from..., image, channel] * weight[i, j, channel, output]
    end
    return y .+ reshape(bias, 1, 1, 1, :)
end

@testset "convolution $kernel/$stride/$padding of $(size[1:3])" for (kernel, stride, padding, size) in [
    (3, 1, 1, (5, 5, 3, 2)), (3, 1, 1, (4, 7, 2, 3)), (3, 2, 1, (8, 8, 2, 3)), (3, 2, 1, (7, 7, 2, 2)),
    (7, 2, 3, (12, 10, 2, 3)), (1, 1, 0, (4, 4, 3, 5)), (1, 2, 0, (6, 6, 2, 3)), (3, 1, 0, (5, 5, 2, 2)),
    (3, 1, 1, (32, 32, 2, 1)), (3, 1, 1, (1, 1, 2, 2)), (5, 1, 2, (3, 3, 1, 1)),
]
    x, weight, bias = randn(random, size), randn(random, kernel, kernel, size[4], 4), randn(random, 4)
    expected = convolved(x, weight, bias, stride, padding)
    layer = Convolution(weight, bias; stride = stride, padding = padding)
    @test forward!(layer, x, false) ≈ expected
    layer.relu = true
    @test forward!(layer, x, false) ≈ max.(expected, 0)
end

@testset "gradients of the convolution" begin
    for (kernel, size) in [(3, (5, 4, 3, 2)), (1, (3, 3, 2, 3)), (3, (20, 30, 2, 1))], relu in (false, true)
        weight, bias = randn(random, kernel, kernel, size[4], 3), randn(random, 3)
        check_gradients(Convolution(weight, bias; padding = kernel ÷ 2, relu = relu), randn(random, size))
    end
end

@testset "pixels" begin
    images = rand(random, UInt8, 4, 3, 2, 5)
    y = forward!(Pixels{Float64}([0.5, 0.25], [0.5, 2]), view(images, :, :, :, [2, 5]), false)
    @test size(y) == (4, 3, 2, 2)
    @test y[:, :, 2, 1] ≈ (images[:, :, 1, 5] ./ 255 .- 0.5) ./ 0.5
    @test y[:, :, 1, 2] ≈ (images[:, :, 2, 2] ./ 255 .- 0.25) ./ 2
end

@testset "pooling" begin
    x = reshape(Float64[1, 2, 3, 4, 5, 6, 7, 8, 8, 6, 5, 5, 1, 1, 5, 5], 4, 4, 1, 1)
    layer = MaxPool{Float64}()
    @test forward!(layer, x, true)[:, :, 1, 1] == [6 8; 8 5]
    # Of equal pixels the first counts, line by line.
    @test backward!(layer, ones(2, 2, 1, 1))[:, :, 1, 1] == [0 0 1 0; 0 1 0 0; 0 0 1 0; 0 1 0 0]
    check_gradients(MaxPool{Float64}(), randn(random, 6, 4, 2, 3))
    check_gradients(MaxPool{Float64}(), randn(random, 5, 7, 2, 3))
    photo = randn(random, 8, 6, 2, 3)
    padded = fill(-Inf, 10, 8, 2, 3)
    padded[2:9, 2:7, :, :] = photo
    expected = [maximum(padded[(2i - 1):(2i + 1), (2j - 1):(2j + 1), n, c]) for i in 1:4, j in 1:3, n in 1:2, c in 1:3]
    @test max_pool!(zeros(4, 3, 2, 3), photo) == expected
    @test global_mean!(zeros(3, 2), photo) ≈ permutedims(sum(photo; dims = (1, 2))[1, 1, :, :]) ./ 48
end

@testset "dense, flatten" begin
    weight, bias, x = randn(random, 5, 3), randn(random, 3), randn(random, 5, 4)
    @test forward!(Dense(weight, bias), x, false) ≈ weight' * x .+ bias
    check_gradients(Dense(weight, bias; relu = true), x)
    images = randn(random, 3, 2, 4, 5)
    layer = Flatten{Float64}()
    @test forward!(layer, images, true)[:, 2] == vec(images[:, :, 2, :])
    check_gradients(layer, images)
end

@testset "dropout" begin
    layer = Dropout{Float32, 2}(0.25, 1)
    x = ones(Float32, 1000, 100)
    @test forward!(layer, x, false) === x
    y = copy(forward!(layer, x, true))
    @test sort(unique(y)) ≈ [0, 4 / 3]
    @test count(iszero, y) / length(y) ≈ 0.25 atol = 0.01
    @test backward!(layer, copy(x)) == y  # the same numbers are dropped
    @test forward!(layer, x, true) != y
    @test forward!(replica(layer), x, true) != forward!(Dropout{Float32, 2}(0.25, 1), x, true)
    @test forward!(Dropout{Float32, 2}(0, 1), x, true) === x
end

@testset "embedding" begin
    layer = Embedding(randn(random, 3, 6))
    words = Int32[0 5; 2 0]
    @test forward!(layer, words, true) == layer.weight[:, [1, 3, 6, 1]]
    dy = randn(random, 3, 4)
    backward!(layer, dy)
    expected = zeros(3, 6)
    expected[:, 1], expected[:, 3], expected[:, 6] = dy[:, 1] + dy[:, 4], dy[:, 2], dy[:, 3]
    @test layer.weight_gradient ≈ expected
    # The words of another step leave nothing behind.
    forward!(layer, fill(Int32(1), 1, 1), true)
    backward!(layer, dy[:, 1:1])
    @test layer.weight_gradient ≈ [zeros(3) dy[:, 1] zeros(3, 4)]
end

@testset "GRU" begin
    units, features, times, examples = 4, 3, 5, 2
    layer = GRULayer(
        randn(random, features, 3units), randn(random, units, 3units), randn(random, 3units), randn(random, 3units);
        times = times,
    )
    x = randn(random, features, examples * times)
    h = zeros(units, examples)
    for time in 1:times
        i = layer.input_weight' * x[:, (examples * (time - 1) + 1):(examples * time)] .+ layer.input_bias
        s = layer.state_weight' * h .+ layer.state_bias
        part(matrix, gate) = matrix[(units * (gate - 1) + 1):(units * gate), :]
        r, z = (1 ./ (1 .+ exp.(-part(i, gate) .- part(s, gate))) for gate in 1:2)
        h = (1 .- z) .* tanh.(part(i, 3) .+ r .* part(s, 3)) .+ z .* h
    end
    @test forward!(layer, x, false) ≈ h
    check_gradients(layer, x)
end

@testset "loss" begin
    logits, labels = randn(random, 4, 3), [0, 3, 1]
    gradient = similar(logits)
    loss = cross_entropy!(gradient, logits, labels, 6)
    @test loss ≈ sum(log(sum(exp.(logits[:, n]))) - logits[labels[n] + 1, n] for n in 1:3) / 6
    @test gradient_error(() -> cross_entropy!(similar(logits), logits, labels, 6), logits, gradient, 1) < 1e-8
    @test cross_entropy!(similar(logits), logits .+ 1000, labels, 6) ≈ loss
end

@testset "functions without branches" begin
    x = Float32.(-100:0.01:100)
    inside = filter(value -> -87 < value < 88, x)
    @test maximum(abs.(exponential.(inside) ./ exp.(Float64.(inside)) .- 1)) < 2e-7
    @test all(isfinite, exponential.(x))
    @test maximum(abs.(sigmoid.(x) .- 1 ./ (1 .+ exp.(-Float64.(x))))) < 1.5e-7
    @test maximum(abs.(hyperbolic_tangent.(x) .- tanh.(Float64.(x)))) < 3e-7
    @test exponential(1.0) === exp(1.0)
end

@testset "shares" begin
    @test shares(10, 3) == [1:3, 4:6, 7:10]
    @test shares(2, 3) == [1:0, 1:1, 2:2]
    seen = zeros(Int, 10)
    each_share((part, range) -> seen[range] .+= 1, 10)
    @test seen == ones(10)
end

@testset "steps leave no arrays behind" begin
    layers = (
        Convolution(randn(random, Float32, 3, 3, 3, 4), zeros(Float32, 4); padding = 1, relu = true),
        MaxPool{Float32}(), Dropout{Float32, 4}(0.5, 1), Flatten{Float32}(),
        Dense(randn(random, Float32, 256, 10), zeros(Float32, 10)),
    )
    x, gradient = randn(random, Float32, 16, 16, 8, 3), zeros(Float32, 10, 8)
    optimizer = SGD(gather_parameters([layers]); learning_rate = 0.1f0, momentum = 0.9f0)
    function step()
        cross_entropy!(gradient, forward!(layers, x, true), zeros(Int, 8), 8)
        backward!(layers, gradient)
        update!(optimizer)
    end
    steps(count) = foreach(_ -> step(), 1:count)
    steps(2)
    # Views, tasks and a thread's scratch block, but nothing of the size of a layer's arrays (32 kB and more).
    @test (@allocated steps(10)) / 10 < 20_000

    gru = GRULayer(
        randn(random, Float32, 8, 60), randn(random, Float32, 20, 60), zeros(Float32, 60), zeros(Float32, 60); times = 50,
    )
    words = randn(random, Float32, 8, 400)
    pass() = (forward!(gru, words, true); backward!(gru, ones(Float32, 20, 8)))
    pass()
    @test (@allocated pass()) < 20_000
end
