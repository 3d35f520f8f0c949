# ResNet-50 v1.5 as a feature extractor: photographs to 2048 features each, forward only.

# --- model ---
resnet50 <- function(job) {
  images <- keras_input(c(3L, NA, NA), dtype = "uint8")
  features <- images |>
    layer_permute(if (channel_axis() == 2L) c(1L, 2L, 3L) else c(2L, 3L, 1L)) |>
    layer_rescaling(1 / 255) |>
    layer_normalization(channel_axis(), mean = job$mean, variance = job$deviation^2) |>
    convolution(64L, 7L, stride = 2L, name = "conv1") |>
    normalization(job, "bn1") |>
    layer_activation_relu() |>
    layer_zero_padding_2d(1L) |> # zero is no more than any x
    layer_max_pooling_2d(3L, strides = 2L) |>
    stage(job, blocks = 3L, width = 64L, stride = 1L, name = "layer1") |>
    stage(job, blocks = 4L, width = 128L, stride = 2L, name = "layer2") |>
    stage(job, blocks = 6L, width = 256L, stride = 2L, name = "layer3") |>
    stage(job, blocks = 3L, width = 512L, stride = 2L, name = "layer4") |>
    layer_global_average_pooling_2d()
  keras_model(images, features)
}

stage <- function(x, job, blocks, width, stride, name) {
  first <- paste0(name, "_0")
  shortcut <- x |>
    convolution(4L * width, 1L, stride, paste0(first, "_downsample_0")) |>
    normalization(job, paste0(first, "_downsample_1"))
  x <- x |> bottleneck(shortcut, job, width, stride, first)
  for (block in seq_len(blocks - 1L)) {
    x <- x |> bottleneck(x, job, width, stride = 1L, name = paste0(name, "_", block))
  }
  x
}

bottleneck <- function(x, shortcut, job, width, stride, name) {
  x |>
    convolution(width, 1L, stride = 1L, name = paste0(name, "_conv1")) |>
    normalization(job, paste0(name, "_bn1")) |>
    layer_activation_relu() |>
    convolution(width, 3L, stride, paste0(name, "_conv2")) |>
    normalization(job, paste0(name, "_bn2")) |>
    layer_activation_relu() |>
    convolution(4L * width, 1L, stride = 1L, name = paste0(name, "_conv3")) |>
    normalization(job, paste0(name, "_bn3")) |>
    layer_add(shortcut) |>
    layer_activation_relu()
}

convolution <- function(x, filters, size, stride, name) {
  if (size > 1L) {
    x <- x |> layer_zero_padding_2d(size %/% 2L) # "same" would pad an even image on two sides only
  }
  x |> layer_conv_2d(filters, size, stride, use_bias = FALSE, kernel_initializer = "zeros", name = name)
}

normalization <- function(x, job, name) {
  x |> layer_batch_normalization(channel_axis(), epsilon = job$batch_norm_epsilon, name = name)
}

channel_axis <- function() {
  if (config_image_data_format() == "channels_first") 2L else 4L
}

# --- build ---
build <- function(job, weights) {
  model <- resnet50(job)
  for (name in unique(sub("[.][a-z_]+$", "", names(weights)))) {
    layer <- model |> get_layer(gsub(".", "_", name, fixed = TRUE))
    of_norm <- paste0(name, c(".weight", ".bias", ".running_mean", ".running_var"))
    if (all(of_norm %in% names(weights))) {
      layer |> set_weights(unname(weights[of_norm]))
    } else {
      kernel <- weights[[paste0(name, ".weight")]]$transpose(2L, 3L, 1L, 0L) # (height, width, inputs, outputs)
      layer |> set_weights(list(kernel))
    }
  }
  model |> compile(jit_compile = job$compile || config_backend() == "jax")
  model$batch_size <- job$batch_size
  model
}

# --- prediction ---
predict <- function(model, inputs) {
  model |> stats::predict(test_data(inputs, model$batch_size), verbose = 0L)
}
