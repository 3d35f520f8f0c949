# GRU on IMDB reviews: word embedding, one recurrent layer, trained by Adam.

using .Layers

# --- model ---
struct GRU{L}
    job::NamedTuple
    replicas::Vector{L}  # for each thread the same layers
    optimizer::Adam{Float32}
end

gru_layers(weights, words) = (
    Embedding(copy(weights["embedding.weight"])),
    GRULayer(
        copy(weights["gru.weight_ih_l0"]), copy(weights["gru.weight_hh_l0"]),
        copy(weights["gru.bias_ih_l0"]), copy(weights["gru.bias_hh_l0"]); times = words,
    ),
    Dense(copy(weights["dense.weight"]), copy(weights["dense.bias"])),
)

# --- build ---
function build(job, weights)
    layers = gru_layers(weights, 150)
    replicas = [layers; [replica(layers) for _ in 2:(job.threads)]]
    optimizer = Adam(
        gather_parameters(replicas);
        learning_rate = job.learning_rate, beta1 = job.beta1, beta2 = job.beta2, epsilon = job.epsilon,
    )
    return GRU(job, replicas, optimizer)
end

# --- training ---
function train(model::GRU, inputs, labels, batches)
    losses = zeros(Float32, length(model.replicas), size(batches, 2))
    for (step, batch) in enumerate(eachcol(batches))
        each_share(length(batch)) do thread, share
            layers = model.replicas[thread]
            examples = batch[share] .+ 1
            words = permutedims(inputs[:, examples])  # (examples, 150 words): time last
            logits = forward!(layers, words, true)
            gradient = similar(logits)
            losses[thread, step] = cross_entropy!(gradient, logits, view(labels, examples), length(batch))
            backward!(layers, gradient)
        end
        update!(model.optimizer)
    end
    return vec(sum(losses; dims = 1))
end

# --- prediction ---
function predict(model::GRU, inputs)
    logits = Matrix{Float32}(undef, 2, size(inputs, 2))
    for first in 1:(model.job.batch_size):size(inputs, 2)
        batch = first:min(first + model.job.batch_size - 1, size(inputs, 2))
        each_share(length(batch), min(length(batch), length(model.replicas))) do thread, share
            examples = batch[share]
            logits[:, examples] = forward!(model.replicas[thread], permutedims(inputs[:, examples]), false)
        end
    end
    return logits
end
