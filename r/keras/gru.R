# GRU on IMDB reviews: word embedding, one recurrent layer, trained by Adam.

# --- model ---
gru <- function() {
  keras_model_sequential(150L, input_dtype = "int32") |>
    layer_embedding(30000L, 125L, name = "embedding") |>
    layer_gru(100L, reset_after = TRUE, name = "gru") |>
    layer_dense(2L, dtype = "float32", name = "dense") # at any precision: for the loss
}

# --- build ---
build <- function(job, weights) {
  model <- gru()
  # The gates come as reset, update, new; Keras has update, reset, new.
  gates <- lapply(
    weights[startsWith(names(weights), "gru.")],
    function(weight) weight$take(c(100:199, 0:99, 200:299), axis = 0L)
  )
  biases <- numpy$stack(list(gates$gru.bias_ih_l0, gates$gru.bias_hh_l0))
  model |> get_layer("embedding") |> set_weights(list(weights$embedding.weight))
  model |> get_layer("gru") |> set_weights(list(gates$gru.weight_ih_l0$T, gates$gru.weight_hh_l0$T, biases))
  model |> get_layer("dense") |> set_weights(list(weights$dense.weight$T, weights$dense.bias))
  model |> compile(
    optimizer = optimizer_adam(job$learning_rate, job$beta1, job$beta2, job$epsilon),
    loss = loss_sparse_categorical_crossentropy(from_logits = TRUE),
    metrics = list(BatchLoss()),
    jit_compile = job$compile || config_backend() == "jax"
  )
  model$batch_size <- job$batch_size
  model
}

# --- training ---
train <- function(model, inputs, labels, batches) {
  history <- LossHistory(py_len(batches))
  data <- training_data(inputs, labels, batches)
  model |> fit(data, shuffle = FALSE, verbose = 0L, callbacks = list(history))
  history$losses
}

# --- prediction ---
predict <- function(model, inputs) {
  model |> stats::predict(test_data(inputs, model$batch_size), verbose = 0L)
}
