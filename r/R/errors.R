#' Refuse what this machine lacks
#'
#' To be called by a `framework.R` where a device, a number format or a package
#' is not there: the row is `unavailable`, not `failed`.
#'
#' @param message What is missing and what to do about it.
#' @returns Nothing: it throws a condition of class `UnavailableError`.
#' @export
stop_unavailable <- function(message) {
  stop(errorCondition(message, class = "UnavailableError"))
}
