"""What goes wrong becomes a record that says what and where."""

import ast
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .jobs import HARNESS, run, start

Job = Callable[..., dict[str, Any]]


def replace(path: Path, old: str, new: str) -> int:
    """Replace a piece of a file and give the number of the line where it was."""
    source = path.read_text()
    assert source.count(old) == 1
    path.write_text(source.replace(old, new))
    return source[: source.index(old)].count("\n") + 1


def test_exception(toy_job: Job, toy: Path, tmp_path: Path) -> None:
    line = replace(toy, "work()\n    losses", "raise ValueError('two\\nlines')\n    losses")
    ended = run(toy_job(), tmp_path)
    assert ended.refusal == {"status": "failed", "message": "ValueError: two lines", "where": f"{toy}:{line}"}
    assert "Traceback" in ended.errors


def test_exception_below_the_implementation(toy_job: Job, toy: Path, tmp_path: Path) -> None:
    line = replace(toy, "work()\n    losses", "np.ones(3).reshape(2)\n    losses")
    refusal = run(toy_job(), tmp_path).refusal
    assert refusal["where"] == f"{toy}:{line}"


def test_syntax_error(toy_job: Job, toy: Path, tmp_path: Path) -> None:
    line = replace(toy, "class Model:", "class Model")
    refusal = run(toy_job(), tmp_path).refusal
    assert refusal["message"].startswith("SyntaxError")
    assert refusal["where"] == f"{toy}:{line}"


def test_missing_function(toy_job: Job, toy: Path, tmp_path: Path) -> None:
    replace(toy, "def predict(", "def predictions(")
    refusal = run(toy_job(), tmp_path).refusal
    assert "has no attribute 'predict'" in refusal["message"]
    assert refusal["where"].startswith("harness/implementation.py:")


def test_missing_package_of_the_framework(toy_job: Job, toy: Path, tmp_path: Path) -> None:
    replace(toy, "import numpy as np", "import numpy as np\nimport no_such_framework")
    refusal = run(toy_job(packages=["no-such-framework"]), tmp_path).refusal
    assert refusal["status"] == "unavailable"
    assert refusal["message"] == "ModuleNotFoundError: No module named 'no_such_framework'"


def test_missing_module_while_the_framework_is_installed(toy_job: Job, toy: Path, tmp_path: Path) -> None:
    replace(toy, "import numpy as np", "import numpy as np\nimport numpi")
    assert run(toy_job(), tmp_path).refusal["status"] == "failed"


def test_something_that_this_machine_lacks(toy_job: Job, toy: Path, tmp_path: Path) -> None:
    framework = toy.with_name("framework.py")
    line = replace(framework, 'tell("configure", job.device, job.threads)', "raise UnavailableError('no such device')")
    replace(framework, "import numpy as np", "import numpy as np\nfrom harness.errors import UnavailableError")
    assert run(toy_job(), tmp_path).refusal == {
        "status": "unavailable",
        "message": "UnavailableError: no such device",
        "where": f"{framework}:{line + 1}",
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("return losses", "return losses * np.nan", "train gave nan as the loss of step 1 of 1."),
        ("return losses", "return losses[1:]", "train gave losses of shape (0,); 1 batches make shape (1,)."),
        ("return losses", "return losses.mean()", "train gave losses of shape (); 1 batches make shape (1,)."),
        ("return outputs", "return outputs[:64]", "predict gave outputs of shape (64, 2); 70 inputs make 70 rows."),
        ("return outputs", "return outputs[:, 1]", "predict gave outputs of shape (70,); 70 inputs make 70 rows."),
        (
            "return outputs",
            "return np.where(np.arange(len(inputs))[:, None] == 4, np.inf, outputs)",
            "predict gave a number that is not finite for input 5 of 70.",
        ),
    ],
)
def test_wrong_answer(toy_job: Job, toy: Path, tmp_path: Path, old: str, new: str, message: str) -> None:
    replace(toy, old, new)
    refusal = run(toy_job(), tmp_path).refusal
    assert refusal["message"] == f"ValueError: {message}"
    assert refusal["where"].startswith("harness/answers.py:")


def test_loss_that_becomes_infinite_in_a_later_epoch(toy_job: Job, toy: Path, tmp_path: Path) -> None:
    replace(toy, "return losses", "return np.where(losses < 0.21, np.inf, losses)")
    refusal = run(toy_job(), tmp_path).refusal
    assert refusal["message"] == "ValueError: train gave inf as the loss of step 2 of 2."


def test_job_of_another_contract(toy_job: Job, tmp_path: Path) -> None:
    refusal = run({**toy_job(), "contract": 2}, tmp_path).refusal
    assert refusal["message"].startswith("ValueError: The job is of contract 2")


def test_tensor_file_that_is_missing(toy_job: Job, tmp_path: Path) -> None:
    job = toy_job()
    (tmp_path / "train.arrow").unlink()
    refusal = run(job, tmp_path).refusal
    assert refusal["message"].startswith("FileNotFoundError")
    assert refusal["where"].startswith("harness/tensors.py:")


def test_interrupt_ends_at_once_without_a_record(toy_job: Job, toy: Path, tmp_path: Path) -> None:
    replace(toy, "work()\n    losses", "print('here', flush=True)\n    import time; time.sleep(60)\n    losses")
    with start(toy_job(), tmp_path) as process:
        assert process.stdout is not None
        while process.stdout.readline() != "here\n":
            pass
        process.send_signal(signal.SIGINT)
        process.wait(timeout=10)
    assert process.returncode == -signal.SIGINT
    assert not (tmp_path / "record.json").exists()


def test_nothing_else_is_left_beside_the_record(toy_job: Job, tmp_path: Path) -> None:
    job = toy_job()
    before = {path.name for path in tmp_path.iterdir()}
    run(job, tmp_path).answer  # noqa: B018
    assert {path.name for path in tmp_path.iterdir()} - before == {"job.json", "record.json"}


@pytest.mark.parametrize("path", sorted(HARNESS.glob("*.py")), ids=lambda path: path.name)
def test_harness_is_valid_on_python_3_7(path: Path) -> None:
    ast.parse(path.read_text(), feature_version=(3, 7))
