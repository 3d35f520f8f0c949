# What the models call of keras3 (https://keras3.posit.co), under the same names and with the same arguments, on
# reticulate alone: for an R that keras3 cannot be installed in. Arrays stay Python's.

keras <- reticulate::import("keras", convert = FALSE)

# --- models ---
keras_model_sequential <- function(input_shape, ..., input_dtype = NULL) {
  keras$Sequential(list(keras_input(input_shape, ..., dtype = input_dtype)))
}

keras_input <- function(shape, ..., dtype = NULL) {
  keras$Input(as_shape(shape), ..., dtype = dtype)
}

keras_model <- function(inputs, outputs, ...) {
  keras$Model(inputs, outputs, ...)
}

get_layer <- function(object, name) {
  object$get_layer(name)
}

set_weights <- function(object, weights) {
  object$set_weights(weights)
  invisible(object)
}

compile <- function(object, ...) {
  object$compile(...)
  invisible(object)
}

fit <- function(object, x, ...) {
  invisible(object$fit(x, ...))
}

# A method of stats::predict(), as keras3 has it.
registerS3method(
  "predict", "keras.src.models.model.Model",
  function(object, x, ...) object$predict(x, ...),
  asNamespace("stats")
)

# --- layers ---
layer_dense <- function(object, units, ...) {
  create_layer(keras$layers$Dense, object, units = as.integer(units), ...)
}

layer_embedding <- function(object, input_dim, output_dim, ...) {
  create_layer(keras$layers$Embedding, object, as.integer(input_dim), as.integer(output_dim), ...)
}

layer_gru <- function(object, units, ...) {
  create_layer(keras$layers$GRU, object, units = as.integer(units), ...)
}

layer_conv_2d <- function(object, filters, kernel_size, strides = 1L, ...) {
  create_layer(keras$layers$Conv2D, object, as.integer(filters), as.integer(kernel_size), as.integer(strides), ...)
}

layer_max_pooling_2d <- function(object, pool_size = 2L, strides = NULL, ...) {
  strides <- if (!is.null(strides)) as.integer(strides)
  create_layer(keras$layers$MaxPooling2D, object, as.integer(pool_size), strides, ...)
}

layer_global_average_pooling_2d <- function(object, ...) {
  create_layer(keras$layers$GlobalAveragePooling2D, object, ...)
}

layer_zero_padding_2d <- function(object, padding = 1L, ...) {
  create_layer(keras$layers$ZeroPadding2D, object, padding = as.integer(padding), ...)
}

layer_dropout <- function(object, rate, ..., seed = NULL) {
  create_layer(keras$layers$Dropout, object, rate, ..., seed = if (!is.null(seed)) as.integer(seed))
}

layer_flatten <- function(object, ...) {
  create_layer(keras$layers$Flatten, object, ...)
}

layer_permute <- function(object, dims, ...) {
  create_layer(keras$layers$Permute, object, as_shape(dims), ...)
}

layer_rescaling <- function(object, scale, ...) {
  create_layer(keras$layers$Rescaling, object, scale, ...)
}

layer_normalization <- function(object, axis = -1L, ...) {
  create_layer(keras$layers$Normalization, object, axis = as_axis(axis), ...)
}

layer_batch_normalization <- function(object, axis = -1L, ...) {
  create_layer(keras$layers$BatchNormalization, object, axis = as_axis(axis), ...)
}

layer_activation_relu <- function(object, ...) {
  create_layer(keras$layers$ReLU, object, ...)
}

layer_add <- function(inputs, ...) {
  reticulate::py_call(keras$layers$Add(), list(inputs, ...))
}

# --- loss, optimizers, settings ---
loss_sparse_categorical_crossentropy <- function(..., from_logits = FALSE) {
  keras$losses$SparseCategoricalCrossentropy(..., from_logits = from_logits)
}

optimizer_sgd <- function(learning_rate = 0.01, momentum = 0, ...) {
  keras$optimizers$SGD(learning_rate, momentum, ...)
}

optimizer_adam <- function(learning_rate = 0.001, beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7, ...) {
  keras$optimizers$Adam(learning_rate, beta_1, beta_2, epsilon, ...)
}

config_backend <- function() {
  reticulate::py_to_r(keras$config$backend())
}

config_image_data_format <- function() {
  reticulate::py_to_r(keras$config$image_data_format())
}

# --- how a layer joins what comes before it in the pipe ---
create_layer <- function(layer_class, object, ...) {
  if (missing(object)) {
    return(layer_class(...))
  }
  force(object) # the layers before it are made first
  layer <- layer_class(...)
  if (inherits(object, "keras.src.models.sequential.Sequential")) {
    object$add(layer)
    return(object)
  }
  reticulate::py_call(layer, object)
}

# A shape as Python has it; NA is a length that is not known.
as_shape <- function(lengths) {
  reticulate::tuple(lapply(lengths, function(length) if (!is.na(length)) as.integer(length)))
}

# An axis as Python counts it: from 0, or from the end; R counts from 1.
as_axis <- function(axis) {
  as.integer(if (axis > 0) axis - 1 else axis)
}
