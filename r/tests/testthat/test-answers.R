test_that("losses are one finite number for each step", {
  expect_no_error(rosetta$require_losses(c(1, 2), 2L))
  expect_no_error(rosetta$require_losses(array(c(1, 2)), 2L))
  expect_error(rosetta$require_losses(c(1, 2), 3L), "losses of shape \\(2\\); 3 batches make shape \\(3\\)")
  expect_error(rosetta$require_losses(matrix(1, 1, 1), 1L), "losses of shape \\(1, 1\\)")
  expect_error(rosetta$require_losses(c(1, NaN, Inf), 3L), "NaN as the loss of step 2 of 3")
})

test_that("outputs are a row of finite numbers for each example", {
  expect_no_error(rosetta$require_outputs(matrix(0, 3, 2), 3L))
  expect_error(rosetta$require_outputs(matrix(0, 2, 3), 3L), "outputs of shape \\(2, 3\\); 3 inputs make 3 rows")
  expect_error(rosetta$require_outputs(c(1, 2, 3), 3L), "outputs of shape \\(3\\)")
  expect_error(rosetta$require_outputs(rbind(c(0, 1), c(NA, 1)), 2L), "not finite for input 2 of 2")
})

test_that("accuracy counts the largest logits, the first of equal ones", {
  logits <- rbind(c(0, 2, 1), c(3, 0, 0), c(1, 1, 0), c(0, 0, 1))
  expect_identical(rosetta$accuracy(logits, c(1, 0, 1, 2)), 0.75)
})

test_that("features are told by mean, population deviation and each example's mean", {
  digest <- rosetta$digest(rbind(c(0, 1), c(2, 5)))
  expect_equal(digest$mean, 2)
  expect_equal(digest$deviation, sqrt(14 / 4))
  expect_equal(c(digest$means), c(0.5, 3.5))
})
