# What Keras needs that is the same for all models, on the backend that KERAS_BACKEND names.

library(reticulate)

# keras3 where it is installed; else its names, on reticulate alone.
has_keras3 <- nzchar(system.file(package = "keras3"))
if (!has_keras3) {
  source("keras3.R", local = TRUE, keep.source = TRUE)
}

builtins <- import_builtins(convert = FALSE)
numpy <- import("numpy", convert = FALSE)
types <- import("types", convert = FALSE)

# Threads, precision and devices are the backend's affair, and set in Python; so are data, metrics and callbacks, which
# Keras calls from threads of its own. All of it is as for Python's rows.
python_folder <- normalizePath(file.path(language_folder(), "..", "python"))
import_from_path("harness.errors", python_folder)
python <- import_from_path("framework", file.path(python_folder, "keras"), convert = FALSE)
BatchLoss <- python$BatchLoss # nolint: object_name_linter. A class of Python's.
LossHistory <- python$LossHistory # nolint: object_name_linter.
training_data <- python$training_data
test_data <- python$test_data

# Set device, threads, precision and memory growth.
configure <- function(job) {
  python$configure(do.call(types$SimpleNamespace, job))
  # Not earlier: with Keras it makes a tensor at once, after which TensorFlow's threads can no longer be set.
  if (has_keras3) {
    tryCatch(library(keras3), error = function(error) {
      stop_unavailable(paste0(
        "keras3 is installed but cannot be loaded: ", conditionMessage(error), ". Install it anew: docs/r.md"
      ))
    })
  }
}

# NumPy's mapped array, or the backend's tensor: no number passes through R.
load <- function(tensor) {
  dtype <- numpy$dtype(tensor$dtype)$newbyteorder("<")
  shape <- do.call(tuple, as.list(as.integer(tensor$shape)))
  python$load(numpy$memmap(tensor$path, dtype, "c", builtins$int(tensor$offset), shape))
}

# A plain vector or matrix. keras3 has made one already; an array of Python's comes by its bytes.
fetch <- function(value) {
  if (!inherits(value, "python.builtin.object")) {
    return(value)
  }
  value <- numpy$ascontiguousarray(value, "<f4")
  bytes <- py_to_r(builtins$bytearray(value$tobytes()))
  numbers <- readBin(bytes, "numeric", length(bytes) / 4, size = 4L, endian = "little")
  aperm(array(numbers, rev(unlist(py_to_r(value$shape)))))
}

# Wait until the device has finished.
synchronize <- function() {
  python$synchronize()
}

# Device, threads and precision as the backend reports them; and whether it was keras3 whose functions were called.
describe <- function(job) {
  keras3 <- if (has_keras3) as.character(utils::packageVersion("keras3")) else "r/keras/keras3.R"
  c(py_to_r(python$describe(do.call(types$SimpleNamespace, job))), list(versions = list(keras3 = keras3)))
}
