# The clock: how long each phase took, with the device synchronised.
#
# R cannot read the monotonic clock; it tells the time since 1970 to the microsecond. So that no figure rests on a clock
# that was set meanwhile, the whole time is compared with the kernel's uptime in the end.

most_drift_s <- 0.1 # /proc/uptime tells hundredths of a second

#' Tell the person who waits what begins now
#'
#' @param step A few words.
#' @returns Nothing.
#' @export
progress <- function(step) {
  cat("@progress ", step, "\n", sep = "")
  flush(stdout())
}

#' Seconds since 1970
#'
#' @returns A double, exact to about a microsecond.
#' @export
now_s <- function() {
  as.numeric(Sys.time())
}

#' The seconds of each phase, as a record spells them
#'
#' @param first_line_s When the harness began, in seconds since 1970.
#' @returns An environment: `seconds`, phase -> seconds, of which `epoch_s` and
#'   `evaluate_s` are vectors; and `synchronize`, a function that waits until
#'   the device has finished, to be set once the framework is loaded.
#' @export
new_phases <- function(first_line_s) {
  spawned_ns <- Sys.getenv("ROSETTA_SPAWNED_UNIX_NS", format(first_line_s * 1e9, digits = 19L))
  phases <- new.env(parent = emptyenv())
  phases$seconds <- list(
    start_s = max(0, first_line_s - as.numeric(spawned_ns) / 1e9),
    epoch_s = numeric(),
    evaluate_s = numeric()
  )
  phases$synchronize <- function() NULL
  phases$began_s <- now_s()
  phases$began_uptime_s <- uptime_s()
  phases
}

#' Time a phase
#'
#' @param phases As `new_phases()` gives them.
#' @param name The phase.
#' @param work The expression to be timed.
#' @param since_s An earlier reading of the clock to time from.
#' @returns What `work` gives.
#' @export
phase <- function(phases, name, work, since_s = now_s()) {
  force(since_s)
  result <- work
  phases$synchronize()
  seconds <- now_s() - since_s
  phases$seconds[[name]] <- if (name %in% c("epoch_s", "evaluate_s")) c(phases$seconds[[name]], seconds) else seconds
  result
}

#' Refuse times that were taken while the system's clock was set
#'
#' @param phases As `new_phases()` gives them.
#' @returns Nothing. A clock that was set is an error.
#' @export
require_steady_clock <- function(phases) {
  drift_s <- (now_s() - phases$began_s) - (uptime_s() - phases$began_uptime_s)
  if (!is.na(drift_s) && abs(drift_s) > most_drift_s) {
    stop(
      "The system's clock was set by ", format(drift_s, digits = 3), " s during the run, so its times are wrong. ",
      "Run it again (--config retry=failed)."
    )
  }
}

# Seconds since the machine started, NA where the kernel does not tell.
uptime_s <- function() {
  told <- tryCatch(scan("/proc/uptime", quiet = TRUE), error = function(error) NA, warning = function(warning) NA)
  told[1]
}
