using .Layers: Parameter

# One weight array with the gradients of two replicas; longer than a block of the update.
function optimized(make, gradients; steps = 3, length = 3000)
    weight = collect(range(-1.0, 1.0; length = length))
    parameter = Parameter(weight, [fill(gradient, length) for gradient in gradients])
    optimizer = make([parameter])
    for _ in 1:steps
        update!(optimizer)
    end
    return weight .- range(-1.0, 1.0; length = length)
end

@testset "SGD with momentum" begin
    change = optimized([0.5, 1.5]) do parameters
        SGD(parameters; learning_rate = 0.1, momentum = 0.9)
    end
    # v = 2, 3.8, 5.42
    @test change ≈ fill(-0.1 * (2 + 3.8 + 5.42), 3000)
end

@testset "Adam" begin
    change = optimized([0.5, 1.5]) do parameters
        Adam(parameters; learning_rate = 0.1, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-2)
    end
    # With a constant gradient both corrected moments are constant: 2 and 4.
    @test change ≈ fill(-3 * 0.1 * 2 / (2 + 1e-2), 3000)
end
