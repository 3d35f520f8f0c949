# Judges what an implementation gave: an answer of the wrong shape or with a number that is none is refused.
# Outputs are a matrix with a row for each example.

#' Refuse losses that are not one finite number for each step
#'
#' @param losses What `train` gave.
#' @param steps How many batches there were.
#' @returns Nothing. Wrong losses are an error.
#' @export
require_losses <- function(losses, steps) {
  if (!identical(shape(losses), as.integer(steps))) {
    stop("train gave losses of shape (", toString(shape(losses)), "); ", steps, " batches make shape (", steps, ").")
  }
  if (!all(is.finite(losses))) {
    step <- which(!is.finite(losses))[1]
    stop("train gave ", losses[step], " as the loss of step ", step, " of ", steps, ".")
  }
}

#' Refuse outputs that are not a row of finite numbers for each example
#'
#' @param outputs What `predict` gave.
#' @param examples How many inputs there were.
#' @returns Nothing. Wrong outputs are an error.
#' @export
require_outputs <- function(outputs, examples) {
  if (!is.numeric(outputs) || !is.matrix(outputs) || nrow(outputs) != examples) {
    stop(
      "predict gave outputs of shape (", toString(shape(outputs)), "); ", examples, " inputs make ", examples, " rows."
    )
  }
  if (!all(is.finite(outputs))) {
    row <- which(rowSums(!is.finite(outputs)) > 0)[1]
    stop("predict gave a number that is not finite for input ", row, " of ", examples, ".")
  }
}

#' Share of examples whose largest logit is the label's
#'
#' @param logits A matrix with a row for each example.
#' @param labels From 0.
#' @returns A number in 0..1.
#' @export
accuracy <- function(logits, labels) {
  mean(max.col(logits, ties.method = "first") == labels + 1)
}

#' Mean and population standard deviation over all features, and each example's mean
#'
#' @param features A matrix with a row for each example.
#' @returns A list of `mean`, `deviation` and `means`.
#' @export
digest <- function(features) {
  list(
    mean = mean(features),
    deviation = sqrt(mean((features - mean(features))^2)),
    means = I(rowMeans(features))
  )
}

# The dimensions of an array, the length of a vector.
shape <- function(value) {
  if (is.null(dim(value))) length(value) else dim(value)
}
