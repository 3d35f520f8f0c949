# The harness from its sources, as `exec/main.R` has it.
source(file.path(Sys.getenv("ROSETTA_R"), "exec", "start.R"), local = TRUE)

# A tensor's file: 8 bytes that are none of its own, then the numbers.
write_tensor <- function(numbers, dtype, shape, path = tempfile()) {
  file <- file(path, "wb")
  on.exit(close(file))
  writeBin(raw(8), file)
  if (dtype == "int64") {
    numbers <- rbind(as.integer(numbers), ifelse(numbers < 0, -1L, 0L))
  }
  writeBin(c(numbers), file, size = c(uint8 = 1L, int32 = 4L, int64 = 4L, float32 = 4L)[[dtype]])
  list(path = path, offset = 8L, dtype = dtype, shape = as.integer(shape))
}

# What `code` throws, with the calls that led there.
thrown <- function(code) {
  calls <- NULL
  error <- tryCatch(withCallingHandlers(code, error = function(error) calls <<- sys.calls()), error = identity)
  list(error = error, calls = calls)
}
