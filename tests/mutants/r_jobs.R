# Runs jobs one after another in one R: `sh r/exec/rscript.sh Rscript PYTHON r_jobs.R JOB RECORD JOB RECORD ...`.
source(file.path(Sys.getenv("ROSETTA_R"), "exec", "start.R"))

paths <- matrix(commandArgs(trailingOnly = TRUE), nrow = 2L)
for (run in seq_len(ncol(paths))) {
  rosetta$run(paths[1, run], paths[2, run], rosetta$now_s())
}
