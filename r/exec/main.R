# Runs one job: `sh r/exec/rscript.sh RSCRIPT PYTHON r/exec/main.R JOB RECORD` (docs/contract.md, section 1).
source(file.path(Sys.getenv("ROSETTA_R"), "exec", "start.R"))

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 2L) {
  message("usage: sh r/exec/rscript.sh RSCRIPT PYTHON r/exec/main.R JOB RECORD")
  quit(status = 2L)
}
quit(status = rosetta$run(arguments[1], arguments[2], first_line_s))
