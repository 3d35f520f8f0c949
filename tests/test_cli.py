"""The command line: help at once, errors in one line, exit codes that mean something."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def rosetta(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "python/rosetta"), *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


def test_help_names_every_command() -> None:
    done = rosetta("--help")
    assert done.returncode == 0
    for command in (
        "prepare",
        "weights",
        "batches",
        "reference",
        "run",
        "table",
        "report",
        "compare",
        "check",
        "doctor",
    ):
        assert f"    {command}" in done.stdout


def test_help_imports_nothing_slow() -> None:
    code = "import sys; sys.argv[0] = 'rosetta'; from rosetta.cli import _parser; _parser(); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert not {"numpy", "pyarrow", "torch", "jsonschema", "yaml", "matplotlib", "jinja2", "pygments"} & set(
        done.stdout.split()
    )


def test_wrong_usage_exits_2() -> None:
    done = rosetta("prepare", "vgg")
    assert done.returncode == 2
    assert "invalid choice: 'vgg'" in done.stderr


def test_an_error_is_one_message_and_is_logged(tmp_path: Path) -> None:
    settings = json.dumps({"seed": 1, "epochs": 1, "train_examples": 64, "test_examples": "all"})
    log = tmp_path / "logs" / "batches.log"
    done = rosetta("batches", "cnn", "--settings", settings, "--log", str(log), cwd=tmp_path)
    assert done.returncode == 1
    assert "error: shared_data/cnn.json does not exist. Run snakemake again to make it." in done.stderr
    assert "Traceback" not in done.stderr
    assert log.read_text() == done.stderr


def test_check_without_a_table_says_how_to_make_it(tmp_path: Path) -> None:
    done = rosetta("check", cwd=tmp_path)
    assert done.returncode == 1
    assert "Make it: snakemake --cores 1 results/table.csv" in done.stderr


@pytest.mark.parametrize(
    ("lines", "code", "said"),
    [
        (["python,one,gru,native,ok,,yes,"], 0, ""),
        (["python,one,gru,native,ok,,deviates,"], 0, ""),
        (["python,one,gru,native,ok,,yes,", "python,two,gru,native,unavailable,not here,,"], 0, ""),
        (["python,one,gru,native,ok,,no,the losses differ"], 1, "python/one/gru/native is not verified: the losses"),
        (["python,one,gru,native,ok,,yes,", "python,two,gru,native,failed,it broke,,"], 1, "failed: it broke"),
        (["python,two,gru,native,unavailable,not here,,"], 1, "no row is ok"),
        ([], 1, "no row is ok"),
    ],
)
def test_check_goes_red_for_what_failed_or_is_not_verified(
    tmp_path: Path, lines: list[str], code: int, said: str
) -> None:
    table = tmp_path / "table.csv"
    header = "language,framework,model,bridge,status,reason,verified,verdict"
    table.write_text("\n".join([header, *lines]) + "\n")
    done = rosetta("check", str(table), cwd=tmp_path)
    assert (done.returncode, said in done.stderr) == (code, True)


def test_doctor_says_what_there_is() -> None:
    done = rosetta("doctor")
    assert done.returncode == 0
    for said in ("This machine", "Python", "PyTorch", "ROSETTA_DATA"):
        assert said in done.stdout
