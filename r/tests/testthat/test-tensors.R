test_that("integers of 64 bits are read from their place", {
  tensor <- rosetta$map_tensor(write_tensor(c(0, 9, -1, 4), "int64", 4))
  expect_identical(rosetta$read_integers(tensor), c(0, 9, -1, 4))
})

test_that("first examples and parts are places in the same file", {
  tensor <- rosetta$map_tensor(write_tensor(1:12, "int64", c(2, 3, 2)))
  expect_identical(rosetta$read_integers(rosetta$first_examples(tensor, 1L)), as.numeric(1:6))
  expect_identical(rosetta$first_examples(tensor, 5L)$shape[1], 2L)
  second <- rosetta$parts(tensor)[[2]]
  expect_identical(second$shape, c(3L, 2L))
  expect_identical(rosetta$read_integers(second), as.numeric(7:12))
})

test_that("a file that is missing or too short is named", {
  place <- write_tensor(1:4, "int32", 4)
  expect_error(rosetta$map_tensor(modifyList(place, list(path = "/no/such.arrow"))), "/no/such.arrow is not there")
  expect_error(rosetta$map_tensor(modifyList(place, list(shape = 5L))), "ends before the tensor of shape \\(5\\)")
})
