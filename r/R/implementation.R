#' One framework's one model
#'
#' Reads `framework.R` and the model's file beside it into one environment, so
#' the model sees what the framework's file brings. Of the harness they see
#' `stop_unavailable()` and `language_folder()`.
#'
#' @param source The model's file.
#' @returns A list of functions that answer in plain vectors and matrices:
#'   `configure(job)`, `load(tensors)`, `build(job, weights)`,
#'   `train(model, inputs, labels, batches)`, `predict(model, inputs)`,
#'   `synchronize()`, `describe(job)`.
#' @export
implementation <- function(source) {
  harness <- new.env(parent = globalenv())
  harness$stop_unavailable <- stop_unavailable
  harness$language_folder <- language_folder
  files <- new.env(parent = harness)
  # In the folder of the files, with their lines kept for messages.
  sys.source(file.path(dirname(source), "framework.R"), files, chdir = TRUE, keep.source = TRUE)
  sys.source(source, files, chdir = TRUE, keep.source = TRUE)
  list(
    configure = files$configure,
    load = function(tensors) lapply(tensors, files$load),
    build = files$build,
    # R would build a model that is given as an expression only when it is first used.
    train = function(model, inputs, labels, batches) {
      force(model)
      files$fetch(files$train(model, inputs, labels, batches))
    },
    predict = function(model, inputs) {
      force(model)
      files$fetch(files$predict(model, inputs))
    },
    synchronize = files$synchronize,
    describe = files$describe
  )
}
