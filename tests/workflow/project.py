"""A throw-away project: the real Snakefile, runner and settings, with a toy language whose runs take milliseconds."""

import csv
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
TOY = Path(__file__).parent / "toy"
PARTS = (
    "Snakefile",
    "config",
    "profiles",
    "envs/runner.yaml",
    "python/rosetta",
    "shared_data/published",
    "docs/terms.yaml",
)


@dataclass
class Project:
    """A project folder, and the commands people use in it."""

    folder: Path

    def declare(self, deeds: dict[str, str], **declared: Any) -> None:
        """Write the toy language: framework -> what its gru does; `declared` changes language.yaml's keys."""
        language: dict[str, Any] = {
            "language": "toy",
            "title": "Toy",
            "suffix": ".toy",
            "interpreter": ["{python}"],
            "install": "install-toy",
            "probe": ["{interpreter}", "{folder}/probe.py"],
            "harness": ["harness.py"],
            "environment": {"TOY_TRACE": "trace"},
            "bridges": {"native": ["{interpreter}", "{folder}/harness.py"]},
            "frameworks": {
                name: {"title": name, "packages": ["there"], "install": f"install-{name}", "models": ["gru"]}
                for name in deeds
            },
            **declared,
        }
        toy = self.folder / "toy"
        for name, deed in deeds.items():
            self.write(f"toy/{name}/gru.toy", deed)
        shutil.copytree(TOY, toy, dirs_exist_ok=True)
        self.write("toy/language.yaml", yaml.safe_dump(language))

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "snakemake", *arguments]

    def snakemake(self, *arguments: str, code: int = 0, **variables: str) -> str:
        """Run Snakemake; its output. The exit code must be as expected."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.folder,
            env=environment(**variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == code, done.stdout
        return done.stdout

    def lines(self, name: str = "table") -> list[dict[str, str]]:
        """The lines of results/NAME.csv."""
        with (self.folder / "results" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def table(self, name: str = "table") -> list[dict[str, str]]:
        """The toy's lines of results/NAME.csv."""
        return [line for line in self.lines(name) if line["language"] == "toy"]

    def line(self, framework: str) -> dict[str, str]:
        return next(line for line in self.table() if line["framework"] == framework)

    def trace(self) -> list[list[str]]:
        """What the toy's processes noted: start or end, process id, nanoseconds, framework, thread count."""
        path = self.folder / "trace"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def started(self) -> list[str]:
        """Which frameworks ran, in order; forgotten afterwards."""
        names = [words[3] for words in self.trace() if words[0] == "start"]
        (self.folder / "trace").unlink(missing_ok=True)
        return names


def environment(**variables: str) -> dict[str, str]:
    """The tests' environment: no real data sets, so that every machine runs the same."""
    inherited = {name: value for name, value in os.environ.items() if name != "ROSETTA_DATA"}
    return {**inherited, "NO_COLOR": "1", **variables}


def make_project(folder: Path) -> Project:
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (folder / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / part)
    return Project(folder)


def copied(finished: Project, folder: Path) -> Project:
    """A copy of a finished project that writes a trace of its own."""
    # `cp -a` keeps the times, by which Snakemake judges large files.
    subprocess.run(["cp", "-a", "--reflink=auto", str(finished.folder), str(folder)], check=True)
    (folder / "trace").unlink(missing_ok=True)
    return Project(folder)
