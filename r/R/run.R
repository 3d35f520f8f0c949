# The order of work (docs/contract.md, section 4).

longest_traceback <- 30L # calls: a recursion has thousands

#' Do a job
#'
#' @param job_path The job's file.
#' @param record_path Where to leave the record.
#' @param first_line_s When the harness began, in seconds since 1970.
#' @returns The exit code: 0, or 1 where the record is a refusal.
#' @export
run <- function(job_path, record_path, first_line_s) {
  job <- list()
  calls <- list()
  tryCatch(
    {
      # The calls are known only until they are left.
      withCallingHandlers(
        {
          job <- read_job(job_path)
          record <- work(job, first_line_s)
        },
        error = function(error) calls <<- sys.calls()
      )
      write_record(record_path, record)
      0L
    },
    error = function(error) {
      show_traceback(error, calls)
      write_record(record_path, refusal(error, calls, job))
      1L
    }
  )
}

#' Time each phase, work through the check and give the record
#'
#' @param job The job.
#' @param first_line_s When the harness began, in seconds since 1970.
#' @returns A list, as `record.schema.json` describes an answer.
#' @export
work <- function(job, first_line_s) {
  phases <- new_phases(first_line_s)
  settings <- job_options(job, job$hyperparameters)

  progress("import")
  implementation <- phase(phases, "import_s", since_s = first_line_s, {
    implementation <- implementation(job$source)
    implementation$configure(settings)
    implementation
  })
  phases$synchronize <- implementation$synchronize

  loaded <- phase(phases, "load_s", load_tensors(implementation, job))

  progress("build")
  model <- phase(phases, "build_s", implementation$build(settings, loaded$weights))

  progress("first step")
  record <- list(contract = contract)
  if (!is.null(loaded$batches)) {
    record <- c(record, train(implementation, model, loaded, job, phases))
  } else {
    outputs <- phase(phases, "first_step_s", implementation$predict(model, loaded$first_inputs))
    require_outputs(outputs, loaded$first_count)
  }

  progress("predict")
  outputs <- phase(phases, "predict_s", implementation$predict(model, loaded$tensors$test_inputs))
  require_outputs(outputs, job$tensors$test_inputs$shape[1])
  if (!is.null(job$tensors$test_labels)) {
    record$accuracy <- accuracy(outputs, test_labels(job))
  } else {
    record$features <- digest(outputs)
  }
  require_steady_clock(phases)

  progress("check")
  record$check <- check(implementation, job, model, loaded$weights, loaded$check)
  record <- c(record, implementation$describe(settings))
  record$versions <- c(list(r = as.character(getRversion())), installed(job$packages), record$versions)
  record$phases <- phases$seconds
  record$phases$epoch_s <- I(phases$seconds$epoch_s)
  record$phases$evaluate_s <- I(phases$seconds$evaluate_s)
  record
}

#' Map all tensors of a job and pass them through the framework's `load`
#'
#' @param implementation The framework and the model.
#' @param job The job.
#' @returns A list: `tensors`, `weights` and `check` by name; `batches`, those of
#'   each epoch; `first_inputs`, a batch of test inputs, and their `first_count`.
#' @export
load_tensors <- function(implementation, job) {
  mapped <- map_tensors(job$tensors)
  first <- first_examples(mapped$test_inputs, job$hyperparameters$batch_size)
  places <- job$check[setdiff(names(job$check), "hyperparameters")]
  list(
    tensors = implementation$load(mapped[setdiff(names(mapped), "batches")]),
    batches = if (!is.null(mapped$batches)) implementation$load(parts(mapped$batches)),
    first_batch = if (!is.null(mapped$batches)) {
      implementation$load(list(first_examples(parts(mapped$batches)[[1]], 1L)))[[1]]
    },
    first_inputs = implementation$load(list(first))[[1]],
    first_count = first$shape[1],
    weights = implementation$load(map_tensors(job$weights)),
    check = implementation$load(map_tensors(places))
  )
}

#' Train: one batch, then the epochs
#'
#' @param implementation The framework and the model.
#' @param model The model, as `build` gave it.
#' @param loaded As `load_tensors()` gives it.
#' @param job The job.
#' @param phases The clock.
#' @returns The record's `losses` and, if the job asks for it, `epoch_accuracy`.
#' @export
train <- function(implementation, model, loaded, job, phases) {
  inputs <- loaded$tensors$train_inputs
  labels <- loaded$tensors$train_labels
  first_losses <- phase(phases, "first_step_s", {
    losses <- implementation$train(model, inputs, labels, loaded$first_batch)
    implementation$predict(model, loaded$first_inputs)
    losses
  })
  require_losses(first_losses, 1L)
  losses <- list(first_step = first_losses[[1]], epochs = list())
  accuracies <- numeric()
  for (epoch in seq_len(job$epochs)) {
    progress(paste("epoch", epoch, "of", job$epochs))
    batches <- loaded$batches[[epoch]]
    epoch_losses <- phase(phases, "epoch_s", implementation$train(model, inputs, labels, batches))
    require_losses(epoch_losses, job$tensors$batches$shape[2])
    losses$epochs[[epoch]] <- I(epoch_losses)
    if (isTRUE(job$evaluate)) {
      outputs <- phase(phases, "evaluate_s", implementation$predict(model, loaded$tensors$test_inputs))
      labels_of_test <- test_labels(job)
      require_outputs(outputs, length(labels_of_test))
      accuracies <- c(accuracies, accuracy(outputs, labels_of_test))
    }
  }
  c(list(losses = losses), if (length(accuracies) > 0) list(epoch_accuracy = I(accuracies)))
}

test_labels <- function(job) {
  read_integers(map_tensor(job$tensors$test_labels))
}

# The versions of those packages that are installed.
installed <- function(packages) {
  Filter(Negate(is.null), versions(as.character(packages)))
}

# For the log: what was thrown, R's calls with their lines, and Python's own traceback where it came from there.
show_traceback <- function(error, calls) {
  message(told(error))
  with_place <- Filter(function(call) !is.null(utils::getSrcref(call)), calls)
  for (call in utils::tail(with_place, longest_traceback)) {
    place <- utils::getSrcref(call)
    line <- shown(utils::getSrcFilename(place, full.names = TRUE), utils::getSrcLocation(place, "line"))
    message("  ", line, ": ", deparse(call, nlines = 1L)[1])
  }
  if (is_python_s(error) && isNamespaceLoaded("reticulate")) {
    last <- reticulate::py_last_error()
    message(paste(c("In Python:", last$traceback, last$message), collapse = "\n"))
  }
}
