# Optimizers. Each thread updates a share of every weight array.

"""
    Parameter(weight, gradients)

Weights as one vector, and their gradient of each replica: their sum is the gradient of the batch.
"""
struct Parameter{T}
    weight::Vector{T}
    gradients::Vector{Vector{T}}
end

"""
    gather_parameters(replicas)

The parameters of a model, of which there is a replica (a tuple of layers) for each thread.
"""
function gather_parameters(replicas)
    of_each = map(parameters, replicas)
    return map(eachindex(first(of_each))) do index
        Parameter(vec(first(of_each)[index][1]), [vec(of_one[index][2]) for of_one in of_each])
    end
end

# Numbers updated at a time: few enough to stay in a core's first cache.
const BLOCK = 1024

# Call work(index, range, gradient) for blocks of the weights parameters[index], on all threads; `gradient` is that of
# the range, summed over the replicas.
function each_block(work::Work, parameters::Vector{Parameter{T}}) where {Work, T}
    each_share(Threads.nthreads()) do thread, _
        sum_of_block = Vector{T}(undef, BLOCK)
        for (index, parameter) in enumerate(parameters)
            mine = share(length(parameter.weight), Threads.nthreads(), thread)
            for start in first(mine):BLOCK:last(mine)
                range = start:min(start + BLOCK - 1, last(mine))
                sum_gradients!(sum_of_block, parameter.gradients, range)
                work(index, range, sum_of_block)
            end
        end
    end
end

function sum_gradients!(sums, gradients, range)
    copyto!(sums, 1, first(gradients), first(range), length(range))
    for replica in 2:length(gradients)
        gradient, offset = gradients[replica], first(range) - 1
        @inbounds @simd for index in 1:length(range)
            sums[index] += gradient[index + offset]
        end
    end
end

"""
    SGD(parameters; learning_rate, momentum)

v = momentum v + gradient; weight = weight - learning_rate v, with v = 0 at first. Source: Sutskever et al. 2013, "On
the importance of initialization and momentum", with the learning rate outside of v.
"""
struct SGD{T}
    parameters::Vector{Parameter{T}}
    learning_rate::T
    momentum::T
    velocities::Vector{Vector{T}}
end

SGD(parameters::Vector{Parameter{T}}; learning_rate, momentum) where {T} =
    SGD{T}(parameters, learning_rate, momentum, [zero(parameter.weight) for parameter in parameters])

"""
    update!(optimizer)

Make one step with the gradients that are there.
"""
function update!(optimizer::SGD)
    each_block(optimizer.parameters) do index, range, gradient
        weight, velocity = optimizer.parameters[index].weight, optimizer.velocities[index]
        sgd!(weight, velocity, gradient, range, optimizer.learning_rate, optimizer.momentum)
    end
end

function sgd!(weight, velocity, gradient, range, learning_rate, momentum)
    offset = first(range) - 1
    @inbounds @simd for index in 1:length(range)
        v = momentum * velocity[index + offset] + gradient[index]
        velocity[index + offset] = v
        weight[index + offset] -= learning_rate * v
    end
end

"""
    Adam(parameters; learning_rate, beta1, beta2, epsilon)

Kingma and Ba 2015, "Adam", algorithm 1: both moments are corrected for their bias.
"""
mutable struct Adam{T}
    parameters::Vector{Parameter{T}}
    learning_rate::Float64
    beta1::Float64
    beta2::Float64
    epsilon::Float64
    steps::Int
    first_moments::Vector{Vector{T}}
    second_moments::Vector{Vector{T}}
end

function Adam(parameters; learning_rate, beta1, beta2, epsilon)
    moments() = [zero(parameter.weight) for parameter in parameters]
    return Adam(parameters, learning_rate, beta1, beta2, epsilon, 0, moments(), moments())
end

function update!(optimizer::Adam{T}) where {T}
    optimizer.steps += 1
    beta1, beta2 = T(optimizer.beta1), T(optimizer.beta2)
    # Of both moments the correction is the same for all weights.
    step = T(optimizer.learning_rate / (1 - optimizer.beta1^optimizer.steps))
    correction = T(1 / (1 - optimizer.beta2^optimizer.steps))
    epsilon = T(optimizer.epsilon)
    each_block(optimizer.parameters) do index, range, gradient
        weight = optimizer.parameters[index].weight
        m, v = optimizer.first_moments[index], optimizer.second_moments[index]
        adam!(weight, m, v, gradient, range, step, correction, beta1, beta2, epsilon)
    end
end

function adam!(weight, m, v, gradient, range, step, correction, beta1, beta2, epsilon)
    offset = first(range) - 1
    @inbounds @simd ivdep for index in 1:length(range)
        g, at = gradient[index], index + offset
        first_moment = beta1 * m[at] + (1 - beta1) * g
        second_moment = beta2 * v[at] + (1 - beta2) * g * g
        m[at], v[at] = first_moment, second_moment
        # The plain square root looks for negative numbers, which would keep the loop from becoming vector instructions.
        weight[at] -= step * first_moment / (@fastmath(sqrt(second_moment * correction)) + epsilon)
    end
end
