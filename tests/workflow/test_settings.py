"""Wrong settings and declarations are named in one message, without a traceback."""

from pathlib import Path

import pytest

from .project import Project


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("runs=0", "config: runs: 0 is less than the minimum of 1"),
        ("device=tpu", "config: device: 'tpu' is not one of"),
        ("colour=red", "'colour' was unexpected"),
        ("only={frameworks: [nothing]}", "'nothing' is not there; choose from one, two"),
        ("data_dir=/no/such/folder", "config: data_dir: /no/such/folder is not there"),
        ("limits={wall_s: .inf, memory_gib: 1, exit_grace_s: 1}", "config: limits.wall_s: inf is no limit"),
        ("seed=18446744073709551616", "is greater than the maximum"),
        ("only={models: [cnn]}", "'cnn' is not there; choose from gru"),
    ],
)
def test_a_wrong_setting_is_named(project: Project, setting: str, said: str) -> None:
    output = project.snakemake("results/table.csv", "-n", "--config", "download=false", setting, code=1)
    assert said in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("language: [", "toy/language.yaml: not YAML"),
        ("language: toy", "toy/language.yaml: 'title' is a required property"),
    ],
)
def test_a_broken_declaration_is_named(project: Project, text: str, said: str) -> None:
    project.write("toy/language.yaml", text)
    output = project.snakemake("results/table.csv", "-n", code=1)
    assert said in output
    assert "Traceback" not in output


def test_a_harness_pattern_without_files_is_named(project: Project) -> None:
    project.declare({"one": "ok"}, harness=["nothing.py"])
    assert "harness: no file fits 'nothing.py'" in project.snakemake("results/table.csv", "-n", code=1)


def test_a_data_folder_is_relative_to_where_the_command_was_given(project: Project, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    command = ("results/table.csv", "-n", "--snakefile", str(project.folder / "Snakefile"))
    project.snakemake(*command, PWD=str(tmp_path), ROSETTA_DATA="mine")
    output = project.snakemake(*command, PWD=str(tmp_path), ROSETTA_DATA="yours", code=1)
    assert f"ROSETTA_DATA: {tmp_path / 'yours'} is not there" in output


def test_more_test_examples_than_there_are_stop_before_any_row(project: Project) -> None:
    models = "models={'gru': {'epochs': 1, 'train_examples': 64, 'test_examples': 1000000}}"
    output = project.snakemake("results/table.csv", "--config", "download=false", models, code=1)
    assert "config: models.gru.test_examples: 1000000 are asked for" in output
    assert project.started() == []


def test_a_missing_implementation_is_named(project: Project) -> None:
    (project.folder / "toy/one/gru.toy").unlink()
    output = project.snakemake("results/table.csv", "-n", code=1)
    assert "one lists the model gru, but" in output


def test_only_selects_rows(project: Project) -> None:
    project.snakemake("results/table.csv", "--config", "download=false", "only={frameworks: [two]}")
    assert [line["framework"] for line in project.table()] == ["two"]


def test_a_framework_may_only_predict(project: Project) -> None:
    framework = {"title": "Oracle", "packages": ["there"], "install": "install", "models": ["gru"], "trains": False}
    project.write("toy/oracle/gru.toy", "ok")
    project.declare({}, frameworks={"oracle": framework})
    project.snakemake("results/table.csv", "--config", "download=false")
    line = project.line("oracle")
    assert (line["status"], line["epochs"], line["samples_per_s"], line["adam"]) == ("ok", "0", "", "")
    assert line["predict_s"] == "0.01"
    assert line["verdict"].startswith("outputs before training off")


def test_both_settings_fit_the_schema(project: Project) -> None:
    for config in ("quick", "paper"):
        project.snakemake("results/table.csv", "-n", "--configfile", f"config/{config}.yaml")


def test_options_a_framework_lacks_are_refused_in_its_row(project: Project) -> None:
    project.snakemake("results/table.csv", "--config", "download=false", "precision=bf16", "compile=true")
    line = project.line("one")
    assert line["status"] == "unavailable"
    assert "does not offer precision bf16" in line["reason"]
    assert project.started() == []


def test_compiling_is_refused_where_there_is_no_compiler_and_granted_where_it_is_always_on(project: Project) -> None:
    framework = {"title": "F", "packages": ["there"], "install": "install", "models": ["gru"]}
    project.write("toy/always/gru.toy", "ok")
    project.write("toy/never/gru.toy", "ok")
    project.declare({}, frameworks={"always": {**framework, "compile": "always"}, "never": framework})
    project.snakemake("results/table.csv", "--config", "download=false", "compile=true")
    assert "has no compiler to switch on" in project.line("never")["reason"]
    assert (project.line("always")["status"], project.line("always")["compile"]) == ("ok", "yes")
