# GRU on IMDB reviews: word embedding, one recurrent layer, trained by Adam.

# --- model ---
gru <- nn_module(
  "gru",
  initialize = function() {
    self$embedding <- nn_embedding(30000, 125)
    self$gru <- nn_gru(125, 100, batch_first = TRUE)
    self$dense <- nn_linear(100, 2)
  },
  forward = function(words) {
    states <- self$gru(self$embedding(words))
    last <- states[[2]][1, , ]
    self$dense(last)
  }
)

# --- build ---
build <- function(job, weights) {
  torch_manual_seed(job$seed)
  network <- gru()
  network$load_state_dict(weights)
  network$to(device = job$device)
  optimizer <- optim_ignite_adam(
    network$parameters,
    lr = job$learning_rate, betas = c(job$beta1, job$beta2), eps = job$epsilon
  )
  list(network = network, optimizer = optimizer, job = job)
}

# --- training ---
train <- function(model, inputs, labels, batches) {
  model$network$train()
  losses <- lapply(seq_len(batches$size(1)), function(step) {
    examples <- batches[step, ] + 1L # R counts from 1, and so does torch for R
    words <- inputs$index_select(1, examples)$to(device = model$job$device) + 1L
    targets <- labels$index_select(1, examples)$to(device = model$job$device) + 1L
    model$optimizer$zero_grad()
    loss <- nnf_cross_entropy(model$network(words), targets)
    loss$backward()
    model$optimizer$step()
    loss$detach()
  })
  torch_stack(losses)
}

# --- prediction ---
predict <- function(model, inputs) {
  model$network$eval()
  with_no_grad({
    logits <- lapply(torch_split(inputs, model$job$batch_size), function(words) {
      model$network(words$to(device = model$job$device) + 1L)
    })
    torch_cat(logits)
  })
}
