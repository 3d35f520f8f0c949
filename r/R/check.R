#' The check: what proves that the row computed the same as all others
#'
#' See docs/contract.md, section 4.
#'
#' @param implementation The framework and the model.
#' @param job The job.
#' @param model As the timed work left it.
#' @param weights The initial weights, loaded.
#' @param tensors The check's tensors, loaded.
#' @returns The record's `check`.
#' @export
check <- function(implementation, job, model, weights, tensors) {
  as_timed <- job_options(job, job$hyperparameters)
  as_checked <- job_options(job, job$check$hyperparameters)

  outputs_of <- function(model) {
    outputs <- implementation$predict(model, tensors$inputs)
    require_outputs(outputs, job$check$inputs$shape[1])
    outputs
  }

  repeat_difference <- max(abs(outputs_of(model) - outputs_of(model)))
  trains <- "batches" %in% names(tensors)
  answer <- list(
    outputs_before = outputs_of(implementation$build(if (trains) as_timed else as_checked, weights)),
    repeat_difference = repeat_difference
  )
  if (trains) {
    model <- implementation$build(as_checked, weights)
    losses <- implementation$train(model, tensors$inputs, tensors$labels, tensors$batches)
    require_losses(losses, job$check$batches$shape[1])
    answer$losses <- I(losses)
    answer$outputs_after <- outputs_of(model)
  }
  answer
}
