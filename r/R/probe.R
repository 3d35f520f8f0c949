# Tells versions without loading anything big.

#' The versions of packages
#'
#' @param packages Names of R's packages; Python's begin with `python:`.
#' @param python The Python that R's rows work with.
#' @returns A named list; `NULL` where a package is not installed.
#' @export
versions <- function(packages, python = Sys.getenv("ROSETTA_PYTHON")) {
  of_python <- startsWith(packages, "python:")
  found <- stats::setNames(vector("list", length(packages)), packages)
  for (package in packages[!of_python]) {
    found[package] <- list(version(package))
  }
  if (any(of_python)) {
    found[of_python] <- python_versions(sub("python:", "", packages[of_python], fixed = TRUE), python)
  }
  found
}

# The version of an installed package of R's, or NULL.
version <- function(package) {
  folder <- system.file(package = package)
  if (nzchar(folder)) read.dcf(file.path(folder, "DESCRIPTION"), "Version")[[1]]
}

# As Python's own probe tells them; none where there is no Python.
python_versions <- function(packages, python) {
  probe <- file.path(language_folder(), "..", "python", "harness", "probe.py")
  told <- told_by(python, c(shQuote(probe), packages))
  if (length(told) > 0) jsonlite::fromJSON(told)$packages[packages] else vector("list", length(packages))
}

# What a command prints, line by line; nothing if it fails.
told_by <- function(command, arguments) {
  tryCatch(
    system2(command, arguments, stdout = TRUE, stderr = FALSE),
    error = function(error) character(),
    warning = function(warning) character()
  )
}
