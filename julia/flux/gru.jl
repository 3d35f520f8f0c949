# GRU on IMDB reviews: word embedding, one recurrent layer, trained by Adam.

using Flux
using Flux: logitcrossentropy, onehotbatch
using Random

# --- model ---
# Flux's own GRU has one bias for each gate. This is cuDNN's: two, and the reset gate acts after the matrix product.
struct LastGRU{I, H}
    input::I
    hidden::H
end

Flux.@layer LastGRU

# (features, words, batch) to the last state, (state, batch). The words' products do not wait for one another.
function (gru::LastGRU)(x)
    h = Flux.zeros_like(x, (size(gru.hidden.weight, 2), size(x, 3)))
    for from_word in eachslice(gru.input(x); dims = 2)
        h = next_state(from_word, gru.hidden(h), h)
    end
    return h
end

function next_state(from_word, from_state, h)
    rx, zx, nx = Flux.chunk(from_word, 3; dims = 1)
    rh, zh, nh = Flux.chunk(from_state, 3; dims = 1)
    r = sigmoid.(rx .+ rh)
    z = sigmoid.(zx .+ zh)
    n = tanh.(nx .+ r .* nh)
    return @. (1 - z) * n + z * h
end

function gru(weights)
    dense(weight, bias) = Dense(permutedims(weights[weight]), copy(weights[bias]))
    return Chain(
        embedding = Embedding(copy(weights["embedding.weight"])),
        gru = LastGRU(dense("gru.weight_ih_l0", "gru.bias_ih_l0"), dense("gru.weight_hh_l0", "gru.bias_hh_l0")),
        dense = dense("dense.weight", "dense.bias"),
    )
end

# --- build ---
function build(job, weights)
    Random.seed!(job.seed)
    network = gru(weights) |> device(job)
    optimizer = Flux.setup(Adam(job.learning_rate, (job.beta1, job.beta2), job.epsilon), network)
    return (job = job, network = network, optimizer = optimizer)
end

# --- training ---
function train(model, inputs, labels, batches)
    to_device = device(model.job)
    return map(eachcol(batches)) do batch
        examples = batch .+ 1
        words, targets = (inputs[:, examples] .+ 1, onehotbatch(labels[examples], 0:1)) |> to_device
        loss, (gradient,) = Flux.withgradient(model.network) do network
            logitcrossentropy(network(words), targets)
        end
        Flux.update!(model.optimizer, model.network, gradient)
        loss
    end
end

# --- prediction ---
function predict(model, inputs)
    to_device = device(model.job)
    batches = Iterators.partition(axes(inputs, 2), model.job.batch_size)
    return mapreduce(batch -> model.network(to_device(inputs[:, batch] .+ 1)), hcat, batches)
end
