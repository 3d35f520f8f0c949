#' One framework's one model
#'
#' Reads `framework.R` and the model's file beside it into one environment, so
#' the model sees what the framework's file brings. Of the harness they see
#' `stop_unavailable()`, `language_folder()` and `read_bytes()`.
#'
#' @param source The model's file.
#' @returns A list of functions that answer in plain vectors and matrices:
#'   `configure(job)`, `load(tensors)`, `build(job, weights)`,
#'   `train(model, inputs, labels, batches)`, `predict(model, inputs)`,
#'   `synchronize()`, `describe(job)`.
#' @export
implementation <- function(source) {
  seen <- list(stop_unavailable = stop_unavailable, language_folder = language_folder, read_bytes = read_bytes)
  files <- new.env(parent = list2env(seen, parent = globalenv()))
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
