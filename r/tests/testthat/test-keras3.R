# Each function of keras3.R makes what Python's Keras makes: the same layer, and the same shapes.

skip_if_not_installed("reticulate")
skip_if(is.null(rosetta$versions("python:keras")[[1]]), "Keras is not installed in Python")
keras3 <- new.env()
sys.source(file.path(rosetta$language_folder(), "keras", "keras3.R"), keras3)
py <- reticulate::import_main(convert = FALSE)
reticulate::py_run_string("
import json
import keras
from keras import layers

def spelled(thing):
    config = thing.get_config()
    return json.dumps(config, sort_keys=True, default=str)
")

# What Python says of an object, beside what it says of the same in Python's own words.
expect_same <- function(ours, theirs) {
  theirs <- reticulate::py_eval(theirs, convert = FALSE)
  expect_identical(reticulate::py_to_r(py$spelled(ours)), reticulate::py_to_r(py$spelled(theirs)))
}

test_that("each layer has Python's arguments", {
  with(keras3, {
    expect_same(layer_dense(units = 5, activation = "relu", name = "x"), "layers.Dense(5, activation='relu', name='x')")
    expect_same(layer_embedding(input_dim = 9, output_dim = 4, name = "x"), "layers.Embedding(9, 4, name='x')")
    expect_same(layer_gru(units = 3, reset_after = TRUE, name = "x"), "layers.GRU(3, reset_after=True, name='x')")
    expect_same(
      layer_conv_2d(filters = 4, kernel_size = 3, strides = 2, padding = "same", use_bias = FALSE, name = "x"),
      "layers.Conv2D(4, 3, 2, padding='same', use_bias=False, name='x')"
    )
    expect_same(layer_max_pooling_2d(pool_size = 3, strides = 2, name = "x"), "layers.MaxPooling2D(3, 2, name='x')")
    expect_same(layer_max_pooling_2d(pool_size = 2, name = "x"), "layers.MaxPooling2D(2, name='x')")
    expect_same(layer_global_average_pooling_2d(name = "x"), "layers.GlobalAveragePooling2D(name='x')")
    expect_same(layer_zero_padding_2d(padding = 3, name = "x"), "layers.ZeroPadding2D(3, name='x')")
    expect_same(layer_dropout(rate = 0.25, seed = 7, name = "x"), "layers.Dropout(0.25, seed=7, name='x')")
    expect_same(layer_flatten(name = "x"), "layers.Flatten(name='x')")
    expect_same(layer_permute(dims = c(2, 3, 1), name = "x"), "layers.Permute((2, 3, 1), name='x')")
    expect_same(layer_rescaling(scale = 0.5, name = "x"), "layers.Rescaling(0.5, name='x')")
    expect_same(layer_activation_relu(name = "x"), "layers.ReLU(name='x')")
    # Axes count from 1 in R.
    expect_same(
      layer_normalization(axis = 2, mean = c(1, 2), variance = c(3, 4), name = "x"),
      "layers.Normalization(1, mean=[1., 2.], variance=[3., 4.], name='x')"
    )
    expect_same(
      layer_batch_normalization(axis = 4, epsilon = 1e-5, name = "x"),
      "layers.BatchNormalization(3, epsilon=1e-5, name='x')"
    )
    expect_same(layer_batch_normalization(name = "x"), "layers.BatchNormalization(-1, name='x')")
  })
})

test_that("loss and optimizers have Python's arguments", {
  with(keras3, {
    expect_same(
      loss_sparse_categorical_crossentropy(from_logits = TRUE),
      "keras.losses.SparseCategoricalCrossentropy(from_logits=True)"
    )
    expect_same(optimizer_sgd(0.1, 0.9, name = "x"), "keras.optimizers.SGD(0.1, 0.9, name='x')")
    expect_same(
      optimizer_adam(0.1, 0.8, 0.9, 1e-4, name = "x"),
      "keras.optimizers.Adam(0.1, 0.8, 0.9, 1e-4, name='x')"
    )
    # As keras3's defaults, which are Python's.
    expect_same(optimizer_adam(name = "x"), "keras.optimizers.Adam(name='x')")
    expect_same(optimizer_sgd(name = "x"), "keras.optimizers.SGD(name='x')")
  })
})

test_that("a pipe of layers is a sequential model", {
  model <- with(keras3, {
    keras_model_sequential(c(8, 8, 3), input_dtype = "uint8") |>
      layer_rescaling(1 / 255) |>
      layer_conv_2d(4, 3, name = "conv") |>
      layer_flatten() |>
      layer_dense(2, name = "dense")
  })
  expect_s3_class(model, "keras.src.models.sequential.Sequential")
  expect_identical(reticulate::py_str(model$output_shape), "(None, 2)")
  expect_identical(reticulate::py_str(model$inputs[0]$dtype), "uint8")
  kernel <- reticulate::py_eval("__import__('numpy').ones((3, 3, 3, 4), 'float32')", convert = FALSE)
  bias <- reticulate::py_eval("__import__('numpy').ones(4, 'float32')", convert = FALSE)
  layer <- keras3$get_layer(model, "conv")
  expect_identical(keras3$set_weights(layer, list(kernel, bias)), layer)
  expect_identical(reticulate::py_to_r(layer$get_weights()[0]$sum()$item()), 108)
})

test_that("a pipe of layers on an input is a functional model", {
  model <- with(keras3, {
    inputs <- keras_input(c(NA, 6), dtype = "float32")
    shortcut <- inputs |> layer_dense(4)
    outputs <- inputs |>
      layer_dense(4) |>
      layer_add(shortcut) |>
      layer_activation_relu()
    keras_model(inputs, outputs)
  })
  expect_identical(reticulate::py_str(model$input_shape), "(None, None, 6)")
  expect_identical(reticulate::py_str(model$output_shape), "(None, None, 4)")
})
