"""Wrong settings and declarations are named in one message, without a traceback."""

import pytest

from .project import Project


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("runs=0", "config: runs: 0 is less than the minimum of 1"),
        ("device=tpu", "config: device: 'tpu' is not one of"),
        ("colour=red", "'colour' was unexpected"),
        ("only={frameworks: [nothing]}", "'nothing' is not there; choose from one, two"),
        ("data_dir=/no/such/folder", "config: data_dir: /no/such/folder is not a folder"),
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


def test_a_missing_implementation_is_named(project: Project) -> None:
    (project.folder / "toy/one/gru.toy").unlink()
    output = project.snakemake("results/table.csv", "-n", code=1)
    assert "one lists the model gru, but" in output


def test_only_selects_rows(project: Project) -> None:
    project.snakemake("results/table.csv", "--config", "download=false", "only={frameworks: [two]}")
    assert [line["framework"] for line in project.table()] == ["two"]


def test_both_settings_fit_the_schema(project: Project) -> None:
    for config in ("quick", "paper"):
        project.snakemake("results/table.csv", "-n", "--configfile", f"config/{config}.yaml")


def test_options_a_framework_lacks_are_refused_in_its_row(project: Project) -> None:
    project.snakemake("results/table.csv", "--config", "download=false", "precision=bf16", "compile=true")
    line = project.line("one")
    assert line["status"] == "unavailable"
    assert "does not offer precision bf16" in line["reason"]
    assert project.started() == []
