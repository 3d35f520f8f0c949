# Gated recurrent unit.

"""
    GRULayer(input_weight, state_weight, input_bias, state_bias)

One layer of cuDNN's GRU over all times, from a state of zeros; its output is the last state `(units, examples)`.
Its input is `(features, examples * times)`, an example after the other and then the next time. The weights are
`(features, 3 units)` and `(units, 3 units)`, the biases `(3 units)`: reset gate, update gate, new state.

    r = sigmoid(Wr x + br + Ur h + cr)
    z = sigmoid(Wz x + bz + Uz h + cz)
    n = tanh(Wn x + bn + r (Un h + cn))
    h' = (1 - z) n + z h

Source: Cho et al. 2014; NVIDIA cuDNN, `cudnnRNNMode_t`, for where the reset gate acts.
"""
mutable struct GRULayer{T} <: Layer
    input_weight::Matrix{T}
    state_weight::Matrix{T}
    input_bias::Vector{T}
    state_bias::Vector{T}
    times::Int
    input_weight_gradient::Matrix{T}
    state_weight_gradient::Matrix{T}
    input_bias_gradient::Vector{T}
    state_bias_gradient::Vector{T}
    x::Matrix{T}
    from_input::Matrix{T}   # W x + b of all times; after `backward!` its gradient
    from_state::Matrix{T}   # U h + c, likewise
    gates::Matrix{T}        # r, z, n
    states::Matrix{T}       # h before each time, and the last
    last::Matrix{T}
    dh::Matrix{T}
    dx::Matrix{T}
end

function GRULayer(input_weight, state_weight, input_bias, state_bias; times)
    empty2 = similar(input_weight, 0, 0)
    return GRULayer(
        input_weight, state_weight, input_bias, state_bias, times,
        similar(input_weight), similar(state_weight), similar(input_bias), similar(state_bias),
        empty2, empty2, empty2, empty2, empty2, empty2, empty2, empty2,
    )
end

parameters(layer::GRULayer) = (
    (layer.input_weight, layer.input_weight_gradient),
    (layer.state_weight, layer.state_weight_gradient),
    (layer.input_bias, layer.input_bias_gradient),
    (layer.state_bias, layer.state_bias_gradient),
)

replica(layer::GRULayer) = GRULayer(
    layer.input_weight, layer.state_weight, layer.input_bias, layer.state_bias; times = layer.times,
)

function forward!(layer::GRULayer, x, training)
    units, times = size(layer.state_weight, 1), layer.times
    examples = size(x, 2) ÷ times
    layer.x = x
    layer.from_input = reuse(layer.from_input, 3units, examples * times)
    layer.from_state = reuse(layer.from_state, 3units, examples * times)
    layer.gates = reuse(layer.gates, 3units, examples * times)
    layer.states = reuse(layer.states, units, examples * (times + 1))
    multiply!(layer.from_input, layer.input_weight, x; ta = 'T')
    view(layer.states, :, 1:examples) .= 0
    for time in 1:times
        now = columns(time, examples)
        multiply!(view(layer.from_state, :, now), layer.state_weight, view(layer.states, :, now); ta = 'T')
        next_state!(layer, now, units, examples)
    end
    layer.last = reuse(layer.last, units, examples)
    copyto!(layer.last, view(layer.states, :, columns(times + 1, examples)))
    return layer.last
end

columns(time, examples) = ((time - 1) * examples + 1):(time * examples)

function next_state!(layer, now, units, examples)
    from_input, from_state, gates, states = layer.from_input, layer.from_state, layer.gates, layer.states
    b, c = layer.input_bias, layer.state_bias
    @inbounds for column in now
        @simd ivdep for unit in 1:units
            # The parts of the reset gate, of the update gate and of the new state lie below one another.
            z_row, n_row = unit + units, unit + 2units
            r = sigmoid(from_input[unit, column] + b[unit] + from_state[unit, column] + c[unit])
            z = sigmoid(from_input[z_row, column] + b[z_row] + from_state[z_row, column] + c[z_row])
            inner = from_state[n_row, column] + c[n_row]
            from_state[n_row, column] = inner
            n = hyperbolic_tangent(from_input[n_row, column] + b[n_row] + r * inner)
            gates[unit, column], gates[z_row, column], gates[n_row, column] = r, z, n
            states[unit, column + examples] = (1 - z) * n + z * states[unit, column]
        end
    end
end

function backward!(layer::GRULayer, dy)
    units, examples = size(dy)
    layer.dh = reuse(layer.dh, units, examples)
    copyto!(layer.dh, dy)
    for time in layer.times:-1:1
        now = columns(time, examples)
        previous_state_gradient!(layer, now, units)
        multiply!(layer.dh, layer.state_weight, view(layer.from_state, :, now); add = true)
    end
    before = view(layer.states, :, 1:(examples * layer.times))
    multiply!(layer.input_weight_gradient, layer.x, layer.from_input; tb = 'T')
    multiply!(layer.state_weight_gradient, before, layer.from_state; tb = 'T')
    sum_columns!(layer.input_bias_gradient, layer.from_input)
    sum_columns!(layer.state_bias_gradient, layer.from_state)
    layer.dx = reuse(layer.dx, size(layer.x)...)
    multiply!(layer.dx, layer.input_weight, layer.from_input)
    return layer.dx
end

# Puts the gradients of W x + b and U h + c in place of their values, and z dh in place of dh.
function previous_state_gradient!(layer, now, units)
    from_input, from_state, gates, states, dh = layer.from_input, layer.from_state, layer.gates, layer.states, layer.dh
    @inbounds for (example, column) in enumerate(now)
        @simd ivdep for unit in 1:units
            z_row, n_row = unit + units, unit + 2units
            r, z, n = gates[unit, column], gates[z_row, column], gates[n_row, column]
            d = dh[unit, example]
            dn = d * (1 - z) * (1 - n * n)
            dz = d * (states[unit, column] - n) * z * (1 - z)
            dr = dn * from_state[n_row, column] * r * (1 - r)
            from_input[unit, column] = from_state[unit, column] = dr
            from_input[z_row, column] = from_state[z_row, column] = dz
            from_input[n_row, column], from_state[n_row, column] = dn, dn * r
            dh[unit, example] = d * z
        end
    end
end
