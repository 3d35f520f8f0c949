test_that("versions of R's and of Python's packages are told apart", {
  found <- rosetta$versions(c("jsonlite", "python:numpy", "NoSuchPackage", "python:no-such-package"))
  expect_named(found, c("jsonlite", "python:numpy", "NoSuchPackage", "python:no-such-package"))
  expect_identical(found$jsonlite, as.character(packageVersion("jsonlite")))
  expect_match(found[["python:numpy"]], "^[0-9]")
  expect_null(found$NoSuchPackage)
  expect_null(found[["python:no-such-package"]])
})

test_that("where there is no Python, it has no packages", {
  found <- rosetta$versions(c("python:numpy", "jsonlite"), python = "/no/such/python")
  expect_identical(found[1], list("python:numpy" = NULL))
})

test_that("what NAMESPACE exports is there", {
  folder <- rosetta$language_folder()
  exported <- parseNamespaceFile(basename(folder), dirname(folder))$exports
  expect_gt(length(exported), 20)
  expect_identical(setdiff(exported, ls(rosetta)), character())
})
