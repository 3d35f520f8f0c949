#' R's harness: reads a job, lets an implementation work under the clock, writes
#' the record.
#'
#' It runs from its sources (`exec/start.R`), so nothing has to be installed and
#' no compiled code is left anywhere. R 4.1 or later, and jsonlite.
#'
#' @keywords internal
"_PACKAGE"

#' The folder of this language: where `language.yaml` is
#'
#' @returns A path, as `exec/start.R` sets it.
#' @export
language_folder <- function() {
  getOption("rosetta.folder")
}
