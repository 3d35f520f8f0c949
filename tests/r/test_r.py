"""R's own tests, how it is found, and its set-up."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rosetta import toolchains
from rosetta.languages import discover

from ..harness.jobs import ROOT


def test_r_s_own_tests_pass(rscript: str) -> None:
    if subprocess.run([rscript, "-e", "loadNamespace('testthat')"], capture_output=True, check=False).returncode:
        pytest.skip("testthat is not installed. Install it: envs/r.sh dev")
    script = ROOT / "r" / "exec" / "rscript.sh"
    command = ["sh", str(script), rscript, sys.executable, str(ROOT / "r" / "tests" / "testthat.R")]
    environment = {**os.environ, "KERAS_BACKEND": "jax"}  # the quickest to import; the layers are the same
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


MAKES_A_TENSOR = """
# Like keras3, newer versions of which make a tensor as soon as they and Keras are loaded.
.onLoad <- function(libname, pkgname) {
  reticulate::import("keras.ops")$convert_to_tensor(1L)
}
"""
CANNOT_BE_LOADED = """
.onLoad <- function(libname, pkgname) {
  stop("reticulate 1.28 is loaded, but >= 1.42 is required")
}
"""
CONFIGURE = """
source(file.path(Sys.getenv("ROSETTA_R"), "exec", "start.R"))
keras <- rosetta$implementation(file.path(Sys.getenv("ROSETTA_R"), "keras", "gru.R"))
job <- list(device = "cpu", precision = "float32", compile = FALSE, threads = 1L, seed = 1L)
tryCatch(keras$configure(job), UnavailableError = function(error) {
  cat("unavailable:", conditionMessage(error))
  quit()
})
cat("keras3", keras$describe(job)$versions$keras3, "threads", keras$describe(job)$threads)
"""


def configured(rscript: str, tmp_path: Path, keras3: str) -> str:
    """What a row of Keras on TensorFlow has to say once it is configured, beside a keras3 of this code."""
    pytest.importorskip("tensorflow")
    package, library = tmp_path / "keras3", tmp_path / "library"
    (package / "R").mkdir(parents=True)
    library.mkdir()
    (package / "DESCRIPTION").write_text("Package: keras3\nVersion: 9.9\nTitle: T\nDescription: D.\nLicense: MIT\n")
    (package / "NAMESPACE").write_text("")
    (package / "R" / "load.R").write_text(keras3)
    (tmp_path / "configure.R").write_text(CONFIGURE)
    r = Path(rscript).with_name("R")
    subprocess.run([r, "CMD", "INSTALL", "--no-test-load", f"--library={library}", package], check=True, timeout=120)
    script = ROOT / "r" / "exec" / "rscript.sh"
    command = ["sh", str(script), rscript, sys.executable, str(tmp_path / "configure.R")]
    environment = {**os.environ, "KERAS_BACKEND": "tensorflow", "R_LIBS": str(library)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_threads_are_set_before_keras3_makes_a_tensor(rscript: str, tmp_path: Path) -> None:
    assert configured(rscript, tmp_path, MAKES_A_TENSOR).endswith("keras3 9.9 threads 1")


def test_a_keras3_that_cannot_be_loaded_is_named(rscript: str, tmp_path: Path) -> None:
    said = configured(rscript, tmp_path, CANNOT_BE_LOADED)
    assert "unavailable: keras3 is installed but cannot be loaded" in said
    assert ">= 1.42 is required" in said


def test_an_r_that_is_too_old_is_passed_over(rscript: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("R", "Rscript"):
        (tmp_path / name).write_text(
            "#!/bin/sh\n[ $1 = RHOME ] && exit\necho 'R 3.6.3 is older than 4.1' >&2\nexit 1\n"
        )
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("ROSETTA_RSCRIPT", str(tmp_path / "Rscript"))
    language = discover(ROOT)["r"]
    found = toolchains.find(language, language.frameworks["keras-tensorflow"])
    assert (found.interpreter, found.problem) == (rscript, "")


def test_without_r_its_rows_are_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ROSETTA_RSCRIPT", raising=False)
    language = discover(ROOT)["r"]
    for toolchain in toolchains.find_all(language, list(language.frameworks.values())).values():
        assert toolchain.interpreter is None
        assert toolchain.problem.startswith("R was not found (looked for $ROSETTA_RSCRIPT, Rscript)")


def test_packages_that_an_r_lacks_are_named_with_the_commands(rscript: str, tmp_path: Path) -> None:
    own = tmp_path / "Rscript"
    own.write_text(f'#!/bin/sh\nR_LIBS_SITE=/no R_LIBS_USER=/no exec "{rscript}" "$@"\n')
    own.chmod(0o755)
    environment = {**os.environ, "ROSETTA_RSCRIPT": str(own)}
    done = subprocess.run([ROOT / "envs" / "r.sh"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Missing: jsonlite reticulate.")
    for command in ("apt-get install", "conda install", "install.packages"):
        assert command in done.stderr


@pytest.mark.parametrize(("version", "rpy2"), [("4.1.2", "old-"), ("4.4.3", "old-"), ("4.5.0", "current-")])
def test_the_rpy2_that_fits_is_taken(version: str, rpy2: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "r" / "bridge"))
    monkeypatch.delitem(sys.modules, "bridge", raising=False)
    import bridge

    r = bridge.R(Path("/opt/R"), version)
    assert r.rpy2.name.startswith(rpy2)
    assert bridge.environment(r)["R_HOME"] == "/opt/R"
    monkeypatch.delitem(sys.modules, "bridge")


@pytest.mark.parametrize(
    ("rpy2", "version", "library", "sentence"),
    [
        ("3.6.5", "4.2.2", True, "rpy2 3.6.5 fits this R"),
        ("3.6.7", "4.5.1", True, "rpy2 3.6.7 fits this R"),
        ("3.6.7", "4.2.2", True, "rpy2 3.6.7 does not fit R 4.2.2. Mend it: envs/r.sh installs one that does"),
        ("3.6.5", "4.2.2", False, "rpy2 3.6.5 cannot load this R, which was built without its shared library"),
        ("", "4.2.2", True, "rpy2 is not installed: no rows by rpy2. Mend it: envs/r.sh"),
    ],
)
def test_doctor_says_whether_rpy2_and_r_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rpy2: str, version: str, library: bool, sentence: str
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "r" / "bridge"))
    monkeypatch.delitem(sys.modules, "bridge", raising=False)
    import bridge

    r = bridge.R(tmp_path, version)
    monkeypatch.setattr(bridge, "CACHE", tmp_path / "rpy2")
    r.rpy2.mkdir(parents=True)
    if rpy2:
        (r.rpy2 / f"rpy2_rinterface-{rpy2}.dist-info").mkdir()
        (r.rpy2 / f"rpy2_rinterface-{rpy2}.dist-info" / "METADATA").write_text(f"Name: x\nVersion: {rpy2}\n")
    if library:
        r.library.parent.mkdir()
        r.library.touch()
    assert bridge.describe(r).startswith(sentence)
    monkeypatch.delitem(sys.modules, "bridge")
