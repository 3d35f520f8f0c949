# Reads the job, and spells it as implementations see it.

contract <- 1L

#' Read a job
#'
#' @param path The job's file.
#' @returns A list as `job.schema.json` describes it; lists of numbers or of
#'   strings are vectors. A job of another version of the contract is an error.
#' @export
read_job <- function(path) {
  job <- jsonlite::read_json(path, simplifyVector = TRUE, simplifyDataFrame = FALSE, simplifyMatrix = FALSE)
  if (job$contract != contract) {
    stop("The job is of contract ", job$contract, "; this harness speaks contract ", contract, ".")
  }
  job
}

#' What an implementation is given as `job`
#'
#' @param job The job.
#' @param hyperparameters Those of the job, or of its check.
#' @returns A list of the job's settings and each hyperparameter.
#' @export
job_options <- function(job, hyperparameters) {
  c(job[c("device", "precision", "compile", "threads", "seed")], hyperparameters)
}
