# Tells versions as JSON: `sh r/exec/rscript.sh RSCRIPT PYTHON r/exec/probe.R PACKAGE...`
if (getRversion() < "4.1") {
  message("R ", getRversion(), " is older than 4.1")
  quit(status = 1L)
}
if (!nzchar(system.file(package = "jsonlite"))) {
  message("R ", getRversion(), " lacks its package jsonlite")
  quit(status = 1L)
}
source(file.path(Sys.getenv("ROSETTA_R"), "exec", "start.R"))

found <- rosetta$versions(commandArgs(trailingOnly = TRUE))
answer <- list(version = as.character(getRversion()), packages = found, notes = I(rosetta$notes()))
cat(jsonlite::toJSON(answer, auto_unbox = TRUE, null = "null"), "\n")
