# Whether R and Python fit each other, in sentences for `make doctor`.

#' What else there is to say of this R
#'
#' @param python The Python that R's rows work with.
#' @returns Sentences: on rpy2 and on keras3.
#' @export
notes <- function(python = Sys.getenv("ROSETTA_PYTHON")) {
  bridge <- file.path(language_folder(), "bridge", "bridge.py")
  rpy2 <- told_by(python, shQuote(c(bridge, file.path(R.home("bin"), "Rscript"))))
  keras3 <- version("keras3")
  c(
    rpy2,
    if (is.null(keras3)) {
      "keras3 is not installed: r/keras/keras3.R takes its place. To call Keras through it: docs/r.md"
    } else {
      paste0("keras3 ", keras3, " is what Keras is called through")
    }
  )
}
