"""The figures published in 2018, which stand beside today's rows; they were taken on other machines."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FILE = Path("shared_data/published/rosetta_2018.csv")
GPUS = ("K80", "P100")


@dataclass(frozen=True)
class Published:
    """What was published of one system for one model.

    Attributes:
        label: the system's name as published.
        metric: what was timed.
        seconds: by GPU; a GPU without a figure is left out.
    """

    language: str
    framework: str
    model: str
    label: str
    metric: str
    seconds: dict[str, float]


def read(root: Path) -> list[Published]:
    """All published systems, in the order of the file."""
    lines: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    with (root / FILE).open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            lines.setdefault((line["model"], line["language"], line["framework"]), []).append(line)
    return [_system(members) for members in lines.values()]


def of(published: Iterable[Published], language: str, framework: str, model: str) -> Published | None:
    """The published system of a row; None if there was none."""
    wanted = (language, framework, model)
    return next((one for one in published if (one.language, one.framework, one.model) == wanted), None)


def _system(lines: list[dict[str, str]]) -> Published:
    first = lines[0]
    return Published(
        language=first["language"],
        framework=first["framework"],
        model=first["model"],
        label=first["label"],
        metric=first["metric"],
        seconds={line["gpu"]: float(line["value"]) for line in lines if line["value"]},
    )
