"""The projects that the tests of the workflow work in."""

from pathlib import Path

import pytest

from .project import Project, copied, make_project


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project of two toy frameworks whose table is made. Not to be changed: take `project`."""
    project = make_project(tmp_path_factory.mktemp("workflow") / "finished")
    project.declare({"one": "ok", "two": "ok"})
    project.snakemake("results/table.csv", "--config", "download=false")
    return project


@pytest.fixture
def project(finished: Project, tmp_path: Path) -> Project:
    """A copy of the finished project, for a test to change."""
    return copied(finished, tmp_path / "project")
