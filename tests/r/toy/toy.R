# A model of one number, that grows by one with each step; and the faults of which a run can die.

build <- function(job, weights) {
  tell("build", job$batch_size)
  model <- new.env()
  model$number <- 1
  model$fault <- if (is.null(job$fault)) "" else job$fault
  model
}

train <- function(model, inputs, labels, batches) {
  steps <- batches$shape[1]
  tell("train", inputs$shape[1], steps)
  if (nzchar(model$fault)) {
    get(model$fault)()
  }
  losses <- 1 / (model$number + seq_len(steps) - 1)
  model$number <- model$number + steps
  losses
}

predict <- function(model, inputs) {
  tell("predict", inputs$shape[1])
  cbind(rep(0, inputs$shape[1]), model$number)
}

exception <- function() {
  warning("the weights are odd")
  stop("the weights\ndo not fit")
}

missing_package <- function() loadNamespace("NoSuchPackage")

memory <- function() raw(2^46)

leave <- function() quit(status = 3L)

segfault <- function() tools::pskill(Sys.getpid(), 11L)

recursion <- function() recursion()

endless <- function() {
  cat("here\n")
  flush(stdout())
  repeat NULL
}

# R's way out, which runs finalizers, takes for ever.
hang_at_exit <- function() reg.finalizer(globalenv(), function(environment) Sys.sleep(1000), onexit = TRUE)

# Python's objects are freed by R's garbage collection, at any time.
garbage <- function() {
  object <- reticulate::import_builtins(convert = FALSE)$object
  for (round in 1:5) {
    lapply(1:100, function(number) object())
    gc()
  }
}
