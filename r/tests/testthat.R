# R's own tests: `sh r/exec/rscript.sh Rscript PYTHON r/tests/testthat.R`.
testthat::test_dir(file.path(Sys.getenv("ROSETTA_R"), "tests", "testthat"), reporter = "check", stop_on_failure = TRUE)
