test_that("a record is JSON, row by row, with lists where lists are due", {
  path <- tempfile()
  record <- list(losses = I(0.5), empty = I(numeric()), outputs = rbind(c(1, 2), c(1 / 3, 4e-9)), name = "Größe")
  rosetta$write_record(path, record)
  written <- readLines(path, encoding = "UTF-8")
  expect_identical(
    written,
    '{"losses":[0.5],"empty":[],"outputs":[[1,2],[0.333333333333333,4e-09]],"name":"Größe"}'
  )
  expect_identical(list.files(dirname(path), paste0(basename(path), ".partial"), all.files = TRUE), character())
})

test_that("float32 survives the record", {
  bytes <- as.raw(c(0x01, 0x00, 0x80, 0x3f, 0xdb, 0x0f, 0x49, 0x40, 0x01, 0x00, 0x00, 0x00))
  numbers <- readBin(bytes, "numeric", 3, size = 4L)
  path <- tempfile()
  rosetta$write_record(path, list(losses = I(numbers)))
  expect_identical(writeBin(jsonlite::read_json(path, simplifyVector = TRUE)$losses, raw(), size = 4L), bytes)
})

test_that("an error is told with its kind and place, in one line", {
  path <- file.path(tempfile("implementation"), "toy.R")
  dir.create(dirname(path))
  writeLines(c("train <- function() {", "  check()", "}", "check <- function() stop('they\\ndo not fit')"), path)
  toy <- new.env()
  sys.source(path, toy, keep.source = TRUE)
  found <- thrown(toy$train())
  refusal <- rosetta$refusal(found$error, found$calls, list(source = path, packages = list()))
  expect_identical(refusal$error$status, "failed")
  expect_identical(refusal$error$message, "Error: they do not fit")
  expect_match(refusal$error$where, "toy.R:4$")
})

test_that("what this machine lacks makes a row unavailable", {
  expect_true(rosetta$is_unavailable(thrown(rosetta$stop_unavailable("no GPU"))$error, character()))
  missing <- thrown(loadNamespace("NoSuchPackage"))$error
  expect_true(rosetta$is_unavailable(missing, c("stats", "NoSuchPackage")))
  # All that was asked for is there: the error is the implementation's own.
  expect_false(rosetta$is_unavailable(missing, "stats"))
  expect_false(rosetta$is_unavailable(simpleError("no"), "NoSuchPackage"))
})

test_that("an error of Python's bears Python's name for it, whatever reticulate calls it", {
  message <- "ValueError: wrong shape\nRun `reticulate::py_last_error()` for details."
  for (class in c("Rcpp::exception", "python.builtin.BaseException")) {
    expect_identical(rosetta$told(errorCondition(message, class = class)), "ValueError: wrong shape")
  }
  lacking <- errorCondition("UnavailableError: TensorFlow sees no GPU.", class = "Rcpp::exception")
  expect_true(rosetta$is_unavailable(lacking, character()))
})
