# CNN on CIFAR-10: four convolutions and two dense layers, trained by SGD with momentum.

# --- model ---
cnn <- function(job) {
  channels_first <- config_image_data_format() == "channels_first"
  # The given weights take the place of the zeros: to draw random ones first would cost seconds on JAX.
  convolution <- function(object, filters, name) {
    object |>
      layer_conv_2d(filters, 3L, padding = "same", activation = "relu", kernel_initializer = "zeros", name = name)
  }
  keras_model_sequential(c(3L, 32L, 32L), input_dtype = "uint8") |>
    layer_permute(if (channels_first) c(1L, 2L, 3L) else c(2L, 3L, 1L)) |>
    layer_rescaling(1 / 255) |>
    convolution(50L, "conv1") |>
    convolution(50L, "conv2") |>
    layer_max_pooling_2d(2L) |>
    layer_dropout(job$dropout_conv, seed = job$seed) |>
    convolution(100L, "conv3") |>
    convolution(100L, "conv4") |>
    layer_max_pooling_2d(2L) |>
    layer_dropout(job$dropout_conv, seed = job$seed + 1L) |>
    layer_flatten() |> # to (height, width, channels), whatever comes first in the image
    layer_dense(512L, activation = "relu", kernel_initializer = "zeros", name = "dense1") |>
    layer_dropout(job$dropout_dense, seed = job$seed + 2L) |>
    layer_dense(10L, kernel_initializer = "zeros", dtype = "float32", name = "dense2") # at any precision: for the loss
}

# --- build ---
build <- function(job, weights) {
  model <- cnn(job)
  for (name in c("conv1", "conv2", "conv3", "conv4")) {
    kernel <- weights[[paste0(name, ".weight")]]$transpose(2L, 3L, 1L, 0L) # (height, width, inputs, outputs)
    model |> get_layer(name) |> set_weights(list(kernel, weights[[paste0(name, ".bias")]]))
  }
  # The flattened image comes as (channels, height, width) with the weights, as (height, width, channels) here.
  dense1 <- weights$dense1.weight$reshape(512L, 100L, 64L)$transpose(2L, 1L, 0L)$reshape(6400L, 512L)
  model |> get_layer("dense1") |> set_weights(list(dense1, weights$dense1.bias))
  model |> get_layer("dense2") |> set_weights(list(weights$dense2.weight$T, weights$dense2.bias))
  model |> compile(
    optimizer = optimizer_sgd(job$learning_rate, job$momentum),
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
