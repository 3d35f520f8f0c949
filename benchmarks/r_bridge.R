# R's side of r_bridge.py, by Rscript or inside of Python: says what starting and importing took, then takes turns.
source(file.path(Sys.getenv("ROSETTA_R"), "exec", "start.R"))

job <- rosetta$read_job(Sys.getenv("ROSETTA_JOB"))
settings <- rosetta$job_options(job, job$hyperparameters)
implementation <- rosetta$implementation(job$source)
invisible(implementation$configure(settings))
start_s <- first_line_s - as.numeric(Sys.getenv("ROSETTA_SPAWNED_UNIX_NS")) / 1e9
cat(start_s, rosetta$now_s() - first_line_s, "\n")
flush(stdout())

turns <- file("stdin", "r")
built <- NULL
while (length(line <- readLines(turns, 1L)) == 1L && nzchar(line)) {
  if (is.null(built)) {
    built <- list(loaded = rosetta$load_tensors(implementation, job))
    built$model <- implementation$build(settings, built$loaded$weights)
  }
  tensors <- built$loaded$tensors
  before <- proc.time()
  if (job$epochs > 0L) {
    implementation$train(built$model, tensors$train_inputs, tensors$train_labels, built$loaded$batches[[1]])
  } else {
    implementation$predict(built$model, tensors$test_inputs)
  }
  took <- proc.time() - before
  cat(took[["elapsed"]], took[["user.self"]] + took[["sys.self"]], "\n")
  flush(stdout())
}
