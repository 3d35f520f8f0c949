"""What runs again when something changes, through the real Snakemake."""

import shutil
import subprocess
from pathlib import Path

from .project import ROOT, Project

TARGET = ("results/table.csv", "--config", "download=false")


def test_nothing_changed_runs_nothing(project: Project) -> None:
    assert "Nothing to be done" in project.snakemake(*TARGET)
    assert project.started() == []


def test_editing_an_implementation_runs_its_rows_only(project: Project) -> None:
    project.write("toy/one/gru.toy", "ok edited")
    project.snakemake(*TARGET)
    assert project.started() == ["one"]


def test_editing_the_harness_runs_all_rows_of_the_language(project: Project) -> None:
    harness = project.folder / "toy/harness.py"
    harness.write_text(harness.read_text() + "\n# edited\n")
    project.snakemake(*TARGET)
    assert sorted(project.started()) == ["one", "two"]


def test_epoch_count_runs_what_depends_on_it(project: Project) -> None:
    models = "models={'gru': {'epochs': 3, 'train_examples': 1280, 'test_examples': 1024}}"
    project.snakemake(*TARGET, models)
    assert sorted(project.started()) == ["one", "two"]
    assert {line["epochs"] for line in project.table()} == {"3"}


def test_swapping_two_numbers_runs_again(project: Project) -> None:
    """Snakemake compares parameters as a set of values, so two that trade places must not look unchanged."""
    project.snakemake(*TARGET, "runs=2", "threads=1")
    project.started()
    project.snakemake(*TARGET, "runs=1", "threads=2")
    assert sorted(project.started()) == ["one", "two"]


def test_a_changed_limit_runs_nothing(project: Project) -> None:
    output = project.snakemake(*TARGET, "limits={'wall_s': 77, 'memory_gib': 3, 'exit_grace_s': 2}")
    assert "Nothing to be done" in output


def test_a_deleted_record_comes_back(project: Project) -> None:
    record = project.folder / "results/runs/toy/one/gru/native/1.json"
    record.unlink()
    project.snakemake(*TARGET)
    assert record.exists()
    assert project.started() == ["one"]


def test_deleted_data_files_come_back(project: Project) -> None:
    """Each is missed by itself; once all are made again, nothing is left to do."""
    steps = {"prepare": "gru", "weights": "weights/gru", "batches": "batches/gru", "reference": "reference/gru"}
    files = {step: project.folder / "shared_data" / f"{sheet}.arrow" for step, sheet in steps.items()}
    files["prepare"] = next((project.folder / "shared_data").glob("*reviews.arrow"))
    for step, file in files.items():
        aside = file.rename(file.with_suffix(".aside"))
        assert f"rule {step}" in project.snakemake("-n", *TARGET, "--quiet=progress")
        aside.rename(file)
    for file in files.values():
        file.unlink()
    project.snakemake(*TARGET)
    assert all(file.exists() for file in files.values())
    assert "Nothing to be done" in project.snakemake(*TARGET)


def test_a_change_in_the_data_folder_counts_if_it_can_be_data(project: Project, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    project.snakemake(*TARGET, f"data_dir={data}")
    (data / "notes.txt").write_text("nothing to read")
    assert "Nothing to be done" in project.snakemake(*TARGET, f"data_dir={data}")
    (data / "other.zip").write_bytes(b"another archive")
    assert "prepare" in project.snakemake("-n", *TARGET, f"data_dir={data}")


def test_a_changed_hyperparameter_reaches_reference_and_rows(project: Project) -> None:
    models = project.folder / "python/rosetta/models.py"
    models.write_text(models.read_text().replace('"learning_rate": 1e-3', '"learning_rate": 2e-3'))
    output = project.snakemake("-n", *TARGET)
    for rule in ("reference", "run", "table"):
        assert rule in output


def test_a_new_folder_adds_its_rows_only(project: Project) -> None:
    project.declare({"one": "ok", "two": "ok", "three": "ok"})
    project.snakemake(*TARGET)
    assert project.started() == ["three"]
    assert [line["framework"] for line in project.table()] == ["one", "three", "two"]


def test_a_package_that_appears_runs_its_rows(project: Project) -> None:
    def declare(package: str) -> None:
        framework = {"title": "late", "packages": [package], "install": "install-late", "models": ["gru"]}
        project.write("toy/late/gru.toy", "ok")
        project.declare({}, frameworks={"late": framework})

    declare("missing")
    project.snakemake(*TARGET)
    assert project.line("late")["status"] == "unavailable"
    assert "install-late" in project.line("late")["reason"]
    declare("there")
    project.snakemake(*TARGET)
    assert project.line("late")["status"] == "ok"
    assert project.started() == ["late"]


def test_what_the_probe_says_runs_rows_again(project: Project) -> None:
    """A bridge, or another library beside the packages, that was installed since."""
    probe = project.folder / "toy/probe.py"
    answer = '"packages": packages'
    assert answer in probe.read_text()
    probe.write_text(probe.read_text().replace(answer, f'{answer}, "notes": ["a bridge was installed"]'))
    project.snakemake(*TARGET)
    assert sorted(project.started()) == ["one", "two"]


def test_an_interpreter_that_does_not_work_runs_nothing_again(project: Project) -> None:
    project.declare({"one": "ok", "two": "ok"}, interpreter=["toy/old", "{python}"])
    project.snakemake(*TARGET)
    project.write("toy/old", "#!/bin/sh\nexit 1\n")
    (project.folder / "toy/old").chmod(0o755)
    assert "Nothing to be done" in project.snakemake(*TARGET)


def test_failed_rows_are_tried_again_on_request(project: Project) -> None:
    project.write("toy/one/gru.toy", "raise")
    project.snakemake(*TARGET)
    assert project.line("one")["status"] == "failed"
    project.started()
    assert "Nothing to be done" in project.snakemake(*TARGET)
    project.snakemake(*TARGET, "retry=failed")
    assert project.started() == ["one"]
    assert "Nothing to be done" in project.snakemake(*TARGET)


def test_data_of_unknown_settings_are_refused(project: Project) -> None:
    """Snakemake itself would call them up to date, whatever the settings."""
    shutil.rmtree(project.folder / ".snakemake")
    for _ in range(2):
        output = project.snakemake(*TARGET, "seed=1", code=1)
        assert "Mend it: make clean" in output
        assert "Traceback" not in output
    subprocess.run(["make", "-C", project.folder, "-f", ROOT / "Makefile", "clean"], check=True)
    project.snakemake(*TARGET, "seed=1")
    assert sorted(project.started()) == ["one", "two"]
