# A framework of plain R, that does what a test asks for.

configure <- function(job) {
  tell("configure", job$device, job$threads)
  if (job$precision != "float32") {
    stop_unavailable("The toy computes in float32.")
  }
}

load <- function(tensor) tensor

fetch <- function(value) value

synchronize <- function() NULL

# What a child process finds: R's way of finding libraries must not be its own.
describe <- function(job) {
  child <- "import os, sys; print(sys.version.split()[0], os.environ.get('LD_LIBRARY_PATH'))"
  told <- system2(Sys.getenv("ROSETTA_PYTHON"), c("-c", shQuote(child)), stdout = TRUE)
  device <- list(kind = job$device, name = "toy")
  list(device = device, threads = job$threads, precision = job$precision, notes = I(told))
}

# Add a line to the diary.
tell <- function(...) {
  cat(..., "\n", file = Sys.getenv("TOY_DIARY", "/dev/null"), append = TRUE)
}
