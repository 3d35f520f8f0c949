# Lints R's code: `Rscript r/tests/lint.R`, with exit code 1 if there is anything to say.
if (!requireNamespace("lintr", quietly = TRUE)) {
  message("lintr is not installed, so R's code was not linted. Install it: envs/r.sh dev")
  quit(status = 0L)
}
this_file <- sub("--file=", "", grep("^--file=", commandArgs(), value = TRUE), fixed = TRUE)
folder <- normalizePath(file.path(dirname(this_file), ".."))
options(lintr.linter_file = file.path(folder, ".lintr"))
lints <- c(lintr::lint_dir(folder), lintr::lint_dir(file.path(folder, "..", "tests")))
print(lints)
quit(status = as.integer(length(lints) > 0L))
