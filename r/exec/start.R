# Makes the harness known, in an R of its own (main.R) or inside of another process (bridge/main.py). ROSETTA_R names
# the language's folder, ROSETTA_PYTHON the Python to work with.
first_line_s <- as.numeric(Sys.time())

# reticulate works with the Python that the job names; a start-up file (.Renviron) may have named another.
Sys.setenv(RETICULATE_PYTHON = Sys.getenv("ROSETTA_PYTHON"))
# Warnings are printed when they occur.
options(rosetta.folder = normalizePath(Sys.getenv("ROSETTA_R")), warn = 1L)

# The harness is read from its source, with its lines kept for messages.
rosetta <- new.env(parent = globalenv())
for (file in list.files(file.path(getOption("rosetta.folder"), "R"), "[.]R$", full.names = TRUE)) {
  sys.source(file, rosetta, keep.source = TRUE)
}
