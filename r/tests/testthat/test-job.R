test_that("lists of a job are vectors, and another contract is refused", {
  path <- tempfile()
  writeLines('{"contract": 1, "packages": ["a", "b"], "tensors": {"x": {"offset": 8, "shape": [2, 3]}}}', path)
  job <- rosetta$read_job(path)
  expect_identical(job$packages, c("a", "b"))
  expect_identical(job$tensors$x$shape, c(2L, 3L))
  writeLines('{"contract": 2}', path)
  expect_error(rosetta$read_job(path), "The job is of contract 2; this harness speaks contract 1.", fixed = TRUE)
})

test_that("an implementation sees settings and hyperparameters side by side", {
  job <- list(device = "cpu", precision = "float32", compile = FALSE, threads = 2L, seed = 1L, epochs = 3L)
  options <- rosetta$job_options(job, list(batch_size = 64L))
  expect_identical(options$threads, 2L)
  expect_identical(options$batch_size, 64L)
  expect_null(options$epochs)
})
