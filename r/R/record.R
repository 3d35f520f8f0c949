# Writes the record: an answer, or a refusal that says what went wrong and where.

longest_message <- 1000L # characters: a compiler's message can be a book
significant_digits <- 15L

#' Write the record, whole or not at all
#'
#' @param path Where to.
#' @param record A list; a vector that must stay a list in JSON is wrapped by `I()`.
#' @returns Nothing.
#' @export
write_record <- function(path, record) {
  partial <- file.path(dirname(path), paste0(".", basename(path), ".partial"))
  text <- jsonlite::toJSON(record, auto_unbox = TRUE, digits = I(significant_digits), matrix = "rowmajor")
  writeLines(enc2utf8(text), partial, useBytes = TRUE)
  if (!file.rename(partial, path)) {
    stop("The record cannot be written to ", path)
  }
}

#' The record of a job that could not be done
#'
#' @param error What was thrown.
#' @param calls The calls that led there, from `sys.calls()`.
#' @param job The job; empty where it could not be read.
#' @returns A list, as `record.schema.json` describes a refusal.
#' @export
refusal <- function(error, calls, job) {
  status <- if (is_unavailable(error, job$packages)) "unavailable" else "failed"
  message <- substr(gsub("\\s+", " ", told(error)), 1L, longest_message)
  list(
    contract = contract,
    error = list(status = status, message = trimws(message), where = where(error, calls, dirname(c(job$source, "")[1])))
  )
}

#' Whether an error says that something is not installed, or that this machine lacks it
#'
#' @param error What was thrown.
#' @param packages Those that the framework needs.
#' @returns `TRUE` or `FALSE`.
#' @export
is_unavailable <- function(error, packages) {
  if (startsWith(told(error), "UnavailableError: ")) {
    return(TRUE)
  }
  missing <- inherits(error, "packageNotFoundError") || startsWith(told(error), "ModuleNotFoundError: ")
  missing && any(vapply(versions(as.character(packages)), is.null, logical(1)))
}

# The kind of an error and its message: "Error: ..." for one of R's, "ValueError: ..." for one of Python's.
told <- function(error) {
  # reticulate says how to see more, in words that differ between its versions.
  message <- sub("\nRun `reticulate::py_last_error\\(\\)`.*$", "", conditionMessage(error))
  if (is_python_s(error) && grepl("^[A-Za-z_.]+: ", message)) {
    return(message)
  }
  kind <- setdiff(class(error), c("simpleError", "error", "condition"))
  paste0(c(kind, "Error")[1], ": ", message)
}

# Errors of Python's are conditions of Rcpp's in reticulate before 1.30.
is_python_s <- function(error) {
  inherits(error, c("python.builtin.BaseException", "Rcpp::exception"))
}

#' `file:line` of the deepest call in a folder of ours
#'
#' @param error What was thrown.
#' @param calls The calls that led there, from `sys.calls()`.
#' @param folder The implementation's; the harness's comes second.
#' @returns A string; empty where no call is in either.
#' @export
where <- function(error, calls, folder) {
  # A syntax error has no call of its own; its message begins with file, line and column.
  syntax <- regmatches(conditionMessage(error), regexec("^(/[^\n]*?):([0-9]+):[0-9]+: ", conditionMessage(error)))[[1]]
  if (length(syntax) > 0) {
    return(shown(syntax[2], syntax[3]))
  }
  places <- Filter(Negate(is.null), lapply(calls, utils::getSrcref))
  paths <- vapply(places, function(place) normalizePath(utils::getSrcFilename(place, full.names = TRUE)), character(1))
  for (ours in normalizePath(c(folder, file.path(language_folder(), "R")), mustWork = FALSE)) {
    inside <- which(startsWith(paths, file.path(ours, "")))
    if (nzchar(ours) && length(inside) > 0) {
      deepest <- max(inside)
      return(shown(paths[deepest], utils::getSrcLocation(places[[deepest]], "line")))
    }
  }
  ""
}

# `file:line`, relative to the language's folder where the file is in it.
shown <- function(path, line) {
  folder <- file.path(normalizePath(language_folder(), mustWork = FALSE), "")
  path <- normalizePath(path, mustWork = FALSE)
  paste0(if (startsWith(path, folder)) substring(path, nchar(folder) + 1L) else path, ":", line)
}
