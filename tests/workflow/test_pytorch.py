"""A real implementation through the whole workflow: prepared, run, verified, ranked, checked."""

import shutil
from pathlib import Path

import yaml

from .project import ROOT, make_project


def test_pytorch_s_gru_is_verified_and_ranked(tmp_path: Path) -> None:
    project = make_project(tmp_path / "project")
    for part in ("harness", "pytorch"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "python" / part, project.folder / "python" / part, ignore=ignored)
    declared = yaml.safe_load((ROOT / "python/language.yaml").read_text())
    declared["frameworks"] = {"pytorch": declared["frameworks"]["pytorch"]}
    declared["frameworks"]["pytorch"]["conda"] = "envs/runner.yaml"
    project.write("python/language.yaml", yaml.safe_dump(declared))
    only = "only={frameworks: [pytorch], models: [gru]}"
    few = "models={gru: {epochs: 1, train_examples: 256, test_examples: 100}}"
    project.snakemake("results/table.csv", "--config", "download=false", only, few)
    (line,) = [line for line in project.lines() if line["bridge"]]
    assert (line["status"], line["verified"], line["rank"]) == ("ok", "yes", "1"), line
    assert line["versions"].startswith("python 3.")
    assert float(line["samples_per_s"]) > 0
    project.snakemake("check")
