# GRU on IMDB reviews: word embedding, one recurrent layer, trained by Adam.

using Knet

# --- model ---
struct Chain
    layers
end

(chain::Chain)(x) = foldl((x, layer) -> layer(x), chain.layers; init = x)
(chain::Chain)(x, labels) = nll(chain(x), labels)

struct Embedding
    weight
end

(embedding::Embedding)(words) = embedding.weight[:, words]

struct Dense
    weight
    bias
end

(dense::Dense)(x) = dense.weight * x .+ dense.bias

# Knet keeps all weights of an RNN in one array: its matrices, then its biases, gate by gate in the order r, z, n.
function recurrent(weights)
    rnn = RNN(125, 100; rnnType = :gru)
    parts = ("gru.weight_ih_l0", "gru.weight_hh_l0", "gru.bias_ih_l0", "gru.bias_hh_l0")
    copyto!(value(rnn.w), mapreduce(part -> vec(weights[part]), vcat, parts))
    return rnn
end

gru(weights) = Chain((
    Embedding(param(copy(weights["embedding.weight"]))),
    recurrent(weights),
    states -> states[:, :, end],
    Dense(param(permutedims(weights["dense.weight"])), param(copy(weights["dense.bias"]))),
))

# --- build ---
function build(job, weights)
    Knet.seed!(job.seed)
    return (job = job, network = gru(weights))
end

# --- training ---
function train(model, inputs, labels, batches)
    job = model.job
    # RNN takes (features, batch, time).
    data = ((permutedims(inputs[:, batch .+ 1]) .+ 1, labels[batch .+ 1] .+ 1) for batch in eachcol(batches))
    return collect(
        adam(model.network, data; lr = job.learning_rate, beta1 = job.beta1, beta2 = job.beta2, eps = job.epsilon),
    )
end

# --- prediction ---
function predict(model, inputs)
    batches = Iterators.partition(axes(inputs, 2), model.job.batch_size)
    return mapreduce(batch -> model.network(permutedims(inputs[:, batch]) .+ 1), hcat, batches)
end
