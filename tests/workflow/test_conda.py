"""`snakemake --sdm conda`: which environment each step asks for. Conda itself is not needed: nothing is installed."""

import os
from pathlib import Path

from .project import Project

# What Snakemake asks Conda before it plans.
CONDA = """#!/bin/sh
case "$1" in
info) echo '{"conda_prefix": "/nowhere", "conda_version": "26.1.0", "platform": "linux-64"}' ;;
config) echo '{"get": {"channel_priority": "strict"}}' ;;
--version) echo 'conda 26.1.0' ;;
*) exit 1 ;;
esac
"""


def test_each_step_names_its_environment(project: Project, tmp_path: Path) -> None:
    conda = tmp_path / "bin" / "conda"
    conda.parent.mkdir()
    conda.write_text(CONDA)
    conda.chmod(0o755)
    framework = {"title": "apart", "packages": ["missing"], "install": "install", "models": ["gru"]}
    project.write("toy/apart/gru.toy", "ok")
    project.write("envs/apart.yaml", "name: apart\nchannels: [conda-forge]\ndependencies: [python]\n")
    project.declare({}, frameworks={"apart": {**framework, "conda": "envs/apart.yaml"}})
    planned = project.snakemake(
        *("results/table.csv", "-n", "--quiet=progress", "--sdm", "conda", "--config", "download=false"),
        PATH=f"{conda.parent}{os.pathsep}{os.environ['PATH']}",
    )
    created = sorted(line for line in planned.splitlines() if line.startswith("Conda environment"))
    assert created == [f"Conda environment envs/{name}.yaml will be created." for name in ("apart", "runner")]
