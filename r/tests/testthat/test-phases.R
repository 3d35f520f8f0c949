test_that("a phase holds its work and what the device still does", {
  phases <- rosetta$new_phases(rosetta$now_s())
  phases$synchronize <- function() Sys.sleep(0.02)
  expect_identical(rosetta$phase(phases, "build_s", "model"), "model")
  rosetta$phase(phases, "epoch_s", Sys.sleep(0.03))
  rosetta$phase(phases, "epoch_s", NULL)
  expect_gte(phases$seconds$build_s, 0.02)
  expect_gte(phases$seconds$epoch_s[1], 0.05)
  expect_length(phases$seconds$epoch_s, 2)
  expect_length(phases$seconds$evaluate_s, 0)
})

test_that("the time before the first line is known from the runner", {
  withr::local_envvar(ROSETTA_SPAWNED_UNIX_NS = "1700000000123456789")
  phases <- rosetta$new_phases(1700000000.623456789)
  expect_equal(phases$seconds$start_s, 0.5, tolerance = 1e-5)
})

test_that("a clock that was set meanwhile is refused", {
  phases <- rosetta$new_phases(rosetta$now_s())
  expect_no_error(rosetta$require_steady_clock(phases))
  phases$began_s <- phases$began_s - 3600
  expect_error(rosetta$require_steady_clock(phases), "clock was set by 3600 s")
})
