"""How the figures were made: machine, versions, settings, data, commit, dates, and how to make them again."""

import json
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rosetta.config import checked
from rosetta.report.results import Results

SETTINGS_FILES = ("config/quick.yaml", "config/paper.yaml")
# What does not change a figure, or is a path of this machine's.
LEFT_OUT = ("limits", "retry", "data_dir")


@dataclass(frozen=True)
class DataSet:
    """What a model worked on.

    Attributes:
        kind: `real`, `stand-in` (other real data of the same shapes) or `generated`.
        digest: the first digits of the data's SHA-256.
    """

    model: str
    name: str
    title: str
    kind: str
    digest: str
    weights: str


@dataclass(frozen=True)
class Provenance:
    """Everything a reader needs to judge the figures, or to make them again.

    Attributes:
        machines: a line for each machine that rows ran on.
        first, last: when the first and the last run began, `YYYY-MM-DD HH:MM` (UTC); "" if none did.
        commit: the project's git commit, with a remark if files had been changed; "" outside of git.
    """

    machines: tuple[str, ...]
    gpus: tuple[str, ...]
    data: tuple[DataSet, ...]
    versions: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]
    first: str
    last: str
    commit: str
    commands: tuple[str, ...]


def provenance(results: Results) -> Provenance:
    """Gather it from the tables, the runs' files and git."""
    began = sorted(run["started_at"] for run in results.runs if run["started_at"])
    commit, changed = _commit(results.root)
    versions = {version for entry in results.entries for version in entry["versions"].split("; ") if version}
    return Provenance(
        machines=_machines(results),
        gpus=tuple(sorted({entry["device_name"] for entry in results.entries if entry["device"] not in ("", "cpu")})),
        data=tuple(_data(results)),
        versions=tuple(sorted(versions, key=str.lower)),
        settings=tuple((name, _plain(value)) for name, value in sorted(results.config.items()) if value is not None),
        first=_minute(began[0]) if began else "",
        last=_minute(began[-1]) if began else "",
        commit=commit + (", with changes that were not committed" if changed else ""),
        commands=((f"git checkout {commit}",) if commit else ()) + (_command(results),),
    )


def data_kind(name: str) -> str:
    """Whether a data set is real, a stand-in or generated (docs/data.md)."""
    if name.startswith("generated"):
        return "generated"
    return "real" if name in ("cifar10", "imdb", "photos") else "stand-in"


def _machines(results: Results) -> tuple[str, ...]:
    described = {json.dumps(file["machine"], sort_keys=True): file["machine"] for file in results.files.values()}
    return tuple(
        f"{one['processor']}, {one['cores']} physical cores, "
        f"{one['memory_bytes'] / 2**30:.1f} GiB of memory, {one['system']}"
        for one in described.values()
    )


def _data(results: Results) -> list[DataSet]:
    found: dict[tuple[str, str], DataSet] = {}
    for file in results.files.values():
        model, data = file["row"]["model"], file["data"]
        found.setdefault(
            (model, data["sha256"]),
            DataSet(
                model, data["dataset"], data["title"], data_kind(data["dataset"]), data["sha256"][:12], data["weights"]
            ),
        )
    return sorted(found.values(), key=lambda one: results.models.index(one.model))


def _commit(root: Path) -> tuple[str, bool]:
    def git(*arguments: str) -> str:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    try:
        # The folder itself must be the repository: a project within another one has no commit of its own.
        if git("rev-parse", "--show-toplevel") != str(root.resolve()):
            return "", False
        return git("rev-parse", "--short=12", "HEAD"), bool(git("status", "--porcelain", "--untracked-files=no"))
    except OSError:  # there is no git
        return "", False


def _command(results: Results) -> str:
    """The command that makes the same tables: the settings file that is nearest, and what differs from it."""
    candidates = [(name, _differences(results.root / name, results.config)) for name in SETTINGS_FILES]
    name, differences = min(candidates, key=lambda one: len(one[1]))
    words = ["snakemake", "--cores", "1", "results/table.csv"]
    if name != SETTINGS_FILES[0]:
        words += ["--configfile", name]
    if differences:
        words += ["--config", *(f"{key}={_plain(value)}" for key, value in differences.items())]
    return shlex.join(words)


def _differences(path: Path, config: Mapping[str, Any]) -> dict[str, Any]:
    standard = checked(yaml.safe_load(path.read_text(encoding="utf-8")))
    return {key: value for key, value in config.items() if key not in LEFT_OUT and value != standard.get(key)}


def _plain(value: Any) -> str:
    """A setting as it is typed on the command line: YAML in one line."""
    if isinstance(value, str):
        return value
    text: str = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=True)
    return text.removesuffix("\n").removesuffix("\n...")


def _minute(moment: str) -> str:
    return moment[:16].replace("T", " ")


def words(values: Sequence[str]) -> str:
    """A list in a sentence: a, b and c."""
    return " and ".join(filter(None, [", ".join(values[:-1]), *values[-1:]]))
