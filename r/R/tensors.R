# A job's tensors. R itself maps no files: a tensor is known by its place, and a framework's `load` maps it.

bytes_of <- c(uint8 = 1L, int32 = 4L, int64 = 8L, float32 = 4L, float64 = 8L)

#' A job's tensor
#'
#' @param place `path`, `offset` (bytes), `dtype` and `shape` (row-major), as a
#'   job gives them.
#' @returns The place, of class `tensor`. A file that is missing or too short is
#'   an error.
#' @export
map_tensor <- function(place) {
  if (!file.exists(place$path)) {
    stop("The tensor's file ", place$path, " is not there.")
  }
  if (place$offset + bytes_of[[place$dtype]] * prod(place$shape) > file.size(place$path)) {
    stop(
      place$path, " ends before the tensor of shape (", toString(place$shape), ") at byte ", place$offset, " does."
    )
  }
  structure(place, class = "tensor")
}

#' A job's tensors by name
#'
#' @param places A named list of places.
#' @returns A named list of tensors.
#' @export
map_tensors <- function(places) {
  lapply(places, map_tensor)
}

#' The first examples of a tensor, or all if there are fewer
#'
#' @param tensor A tensor; the examples lie along its first axis.
#' @param count How many.
#' @returns A tensor.
#' @export
first_examples <- function(tensor, count) {
  tensor$shape[1] <- min(count, tensor$shape[1])
  tensor
}

#' The parts of a tensor along its first axis
#'
#' @param tensor A tensor of two or more axes.
#' @returns A list of tensors that have an axis less.
#' @export
parts <- function(tensor) {
  shape <- tensor$shape[-1]
  stride <- bytes_of[[tensor$dtype]] * prod(shape)
  lapply(seq_len(tensor$shape[1]), function(index) {
    tensor$offset <- tensor$offset + (index - 1) * stride
    tensor$shape <- shape
    tensor
  })
}

#' The bytes of a tensor, as the file has them
#'
#' @param tensor A tensor.
#' @returns A raw vector: little-endian, row-major.
#' @export
read_bytes <- function(tensor) {
  file <- file(tensor$path, "rb")
  on.exit(close(file))
  seek(file, tensor$offset)
  readBin(file, "raw", bytes_of[[tensor$dtype]] * prod(tensor$shape))
}

#' The numbers of an int64 tensor
#'
#' @param tensor A tensor of dtype int64, such as labels.
#' @returns A vector of doubles, in row-major order. Exact up to 2^53.
#' @export
read_integers <- function(tensor) {
  stopifnot(tensor$dtype == "int64")
  halves <- readBin(read_bytes(tensor), "integer", 2 * prod(tensor$shape), size = 4L, endian = "little")
  halves <- matrix(halves, nrow = 2)
  low <- halves[1, ]
  low + (low < 0) * 2^32 + halves[2, ] * 2^32
}
