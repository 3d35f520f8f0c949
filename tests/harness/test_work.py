"""The order of work, the clock and the check."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .jobs import HARNESS, run

Job = Callable[..., dict[str, Any]]
WORK_S = 0.02  # as in toy/framework.py


def test_order_of_work_of_a_trained_model(toy_job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_DIARY", str(tmp_path / "diary"))
    job = toy_job()
    job["check"]["hyperparameters"]["batch_size"] = 7
    answer = run(job, tmp_path).answer
    assert [json.loads(line) for line in (tmp_path / "diary").read_text().splitlines()] == [
        ["configure", "cpu", 2],
        ["build", 64],
        ["train", 128, [1, 64]],  # first step
        ["predict", 64],
        ["train", 128, [2, 64]],  # epochs
        ["train", 128, [2, 64]],
        ["predict", 70],
        ["predict", 70],  # the check, twice by the trained model
        ["predict", 70],
        ["build", 64],  # as the job was
        ["predict", 70],
        ["build", 7],  # as the check trains
        ["train", 70, [1, 64]],
        ["predict", 70],
    ]
    assert answer["losses"]["first_step"] == 1
    assert answer["losses"]["epochs"] == [[1 / 2, pytest.approx(1 / 3)], [1 / 4, pytest.approx(1 / 5)]]
    assert answer["check"]["outputs_before"] == [[0, 1]] * 70
    assert answer["check"]["losses"] == [1]
    assert answer["check"]["outputs_after"] == [[0, 2]] * 70
    assert answer["check"]["repeat_difference"] == 0
    assert 0 < answer["accuracy"] < 1


def test_evaluation_after_each_epoch_on_request(toy_job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_DIARY", str(tmp_path / "diary"))
    job = toy_job()
    job["evaluate"] = True
    answer = run(job, tmp_path).answer
    deeds = [json.loads(line)[0] for line in (tmp_path / "diary").read_text().splitlines()]
    assert deeds[2:9] == ["train", "predict", "train", "predict", "train", "predict", "predict"]
    assert len(answer["epoch_accuracy"]) == len(answer["phases"]["evaluate_s"]) == job["epochs"]


def test_order_of_work_of_a_model_that_is_not_trained(
    toy_job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_DIARY", str(tmp_path / "diary"))
    answer = run(toy_job("resnet50", test=40, check=12), tmp_path).answer
    assert [json.loads(line) for line in (tmp_path / "diary").read_text().splitlines()] == [
        ["configure", "cpu", 2],
        ["build", 32],
        ["predict", 32],  # first step: one batch
        ["predict", 40],
        ["predict", 12],
        ["predict", 12],
        ["build", 8],
        ["predict", 12],
    ]
    assert answer["phases"]["epoch_s"] == []
    assert answer["features"] == {"mean": 0.5, "deviation": 0.5, "means": [0.5] * 40}
    assert answer["check"] == {"outputs_before": [[0, 1]] * 12, "repeat_difference": 0}


def test_progress(toy_job: Job, tmp_path: Path) -> None:
    assert run(toy_job(), tmp_path).output.splitlines() == [
        "@progress import",
        "@progress build",
        "@progress first step",
        "@progress epoch 1 of 2",
        "@progress epoch 2 of 2",
        "@progress predict",
        "@progress check",
    ]


def test_phases_hold_the_device_s_work_and_fill_the_wall_time(toy_job: Job, tmp_path: Path) -> None:
    ended = run(toy_job(), tmp_path)
    phases = ended.answer["phases"]
    for name in ("build_s", "first_step_s", "predict_s"):
        assert phases[name] >= WORK_S
    assert len(phases["epoch_s"]) == 2
    assert min(phases["epoch_s"]) >= WORK_S
    assert phases["start_s"] > 0
    timed_s = sum(sum(seconds) if isinstance(seconds, list) else seconds for seconds in phases.values())
    # What is left is the check, which does not wait for this device, the record and the end of the process.
    assert 0.5 * ended.wall_s < timed_s <= ended.wall_s


def test_work_of_the_device_belongs_to_the_phase_that_asked_for_it(toy_job: Job, toy: Path, tmp_path: Path) -> None:
    source = toy.read_text()
    assert "work()\n    losses" in source
    toy.write_text(source.replace("work()\n    losses", "[work() for _ in range(10)]\n    losses"))
    phases = run(toy_job(), tmp_path).answer["phases"]
    assert min(phases["first_step_s"], *phases["epoch_s"]) >= 10 * WORK_S
    assert phases["predict_s"] < 10 * WORK_S


def test_versions_and_what_the_framework_reports(toy_job: Job, tmp_path: Path) -> None:
    answer = run(toy_job(threads=3), tmp_path).answer
    assert set(answer["versions"]) == {"python", "numpy"}
    assert answer["device"] == {"kind": "cpu", "name": "toy"}
    assert answer["threads"] == 3


def test_the_project_s_folders_do_not_pass_for_packages(
    toy_job: Job, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(HARNESS.parent))
    toy.write_text("import importlib.util, sys\n" + toy.read_text().replace("work()\n    return Model", TRAP, 1))
    run(toy_job(), tmp_path).answer  # noqa: B018 (asserts that all went well)


TRAP = """work()
    assert importlib.util.find_spec("rosetta") is None, sys.path
    assert importlib.util.find_spec("record") is None, sys.path
    return Model"""


def test_an_implementation_may_write_to_its_tensors_but_not_to_the_files(
    toy_job: Job, toy: Path, tmp_path: Path
) -> None:
    toy.write_text(toy.read_text().replace("    return outputs", "    inputs[:] = 0\n    return outputs"))
    job = toy_job()
    before = (tmp_path / "test.arrow").read_bytes()
    run(job, tmp_path).answer  # noqa: B018
    assert (tmp_path / "test.arrow").read_bytes() == before


def test_usage(tmp_path: Path) -> None:
    ended = subprocess.run([sys.executable, HARNESS], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "JOB RECORD" in ended.stderr


def test_probe() -> None:
    command = [sys.executable, str(HARNESS / "probe.py"), "numpy", "no-such-package"]
    begun = time.monotonic()
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert time.monotonic() - begun < 2  # imports no framework; 0.06 s on an idle machine
    answer = json.loads(printed)
    assert answer["version"].startswith("3.")
    assert answer["packages"]["no-such-package"] is None
    assert answer["packages"]["numpy"][0].isdigit()
