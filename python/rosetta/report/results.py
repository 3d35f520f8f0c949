"""What the report is made from: the two tables, the settings, and the runs' own files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rosetta.files import read_json
from rosetta.languages import Language, Row, discover
from rosetta.models import MODELS
from rosetta.plan import run_file
from rosetta.table import ROW_COLUMNS, RUN_COLUMNS, read_table, state


@dataclass(frozen=True)
class Entry:
    """A line of the table.

    Attributes:
        number: its place in the table, from 0, by which the page's parts know it.
        language_title, title: of its language and framework, for people.
        via: how the language was started, where there is a choice; "" where there is none.
        implementation: the folder of its files, such as `python/keras`; "" where there is none here.
        values: the line, by column.
    """

    number: int
    row: Row
    language_title: str
    title: str
    via: str
    implementation: str
    values: Mapping[str, str]

    @property
    def name(self) -> str:
        """All of who it is, in words."""
        return f"{self.title}, {self.language_title}" + (f", {self.via}" if self.via else "")

    def __getitem__(self, column: str) -> str:
        return self.values[column]

    def figure(self, column: str) -> float | None:
        """A column as a number; None where it is empty."""
        return float(self.values[column]) if self.values[column] else None

    @property
    def ran(self) -> bool:
        return self.values["status"] == "ok"

    @property
    def is_verified(self) -> bool:
        return self.ran and self.values["verified"] == "yes"

    @property
    def only_predicts(self) -> bool:
        """Whether it predicts with a model that others train, so that it is not measured by training."""
        return self.ran and not self.values["samples_per_s"]

    @property
    def state(self) -> str:
        """In a word, what became of it: verified, deviates, unverified, failed, unavailable."""
        return state(self.values)

    @property
    def excess(self) -> float | None:
        """How far from the reference, as a share of what is allowed; None if it was not compared."""
        distance, tolerance = self.figure("distance"), self.figure("tolerance")
        return None if distance is None or tolerance is None else distance / tolerance

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the median of samples per second lies; None for a single run."""
        low, high = self.figure("samples_per_s_low"), self.figure("samples_per_s_high")
        return None if low is None or high is None else (low, high)


@dataclass(frozen=True)
class Results:
    """A results folder.

    Attributes:
        entries: the lines of table.csv, in its order.
        runs: the lines of runs.csv.
        config: the settings that the tables were made with.
        files: by entry number, the file of a row's first run that went well, as far as the report needs it: for every
            model that is trained, and one of each other model.
    """

    root: Path
    languages: Mapping[str, Language]
    entries: Sequence[Entry]
    runs: Sequence[Mapping[str, str]]
    config: Mapping[str, Any]
    files: Mapping[int, Mapping[str, Any]]

    @cached_property
    def models(self) -> list[str]:
        """The models that have lines."""
        return [model for model in MODELS if any(entry.row.model == model for entry in self.entries)]

    @property
    def language_titles(self) -> dict[str, str]:
        """The languages that have lines, by name, with their names for people."""
        return {entry.row.language: entry.language_title for entry in sorted(self.entries, key=lambda one: one.row)}

    def of(self, model: str) -> list[Entry]:
        return [entry for entry in self.entries if entry.row.model == model]

    def data_title(self, model: str) -> str:
        """The data set's name for people; "" where no run says."""
        titles = [file["data"]["title"] for file in self.files.values() if file["row"]["model"] == model]
        return titles[0] if titles else ""


def read_results(root: Path, table: Path, runs: Path, settings: Path) -> Results:
    """Read a results folder.

    Raises:
        RosettaError: a file is missing or broken; a run's own file may be missing, the page then lacks its curve.
    """
    languages = discover(root)
    lines = read_table(table)
    entries = [_entry(number, line, languages, root) for number, line in enumerate(lines)]
    run_lines = read_table(runs, RUN_COLUMNS)
    return Results(
        root=root,
        languages=languages,
        entries=entries,
        runs=run_lines,
        config=read_json(settings)["config"],
        files=_files(table.parent, entries, run_lines),
    )


def _entry(number: int, line: dict[str, str], languages: Mapping[str, Language], root: Path) -> Entry:
    row = Row(*(line[column] for column in ROW_COLUMNS))
    language = languages.get(row.language)
    framework = language.frameworks.get(row.framework) if language else None
    return Entry(
        number=number,
        row=row,
        language_title=language.title if language else row.language.capitalize(),
        title=framework.title if framework else line["published_label"] or row.framework,
        via=row.bridge if language and len(language.bridges) > 1 else "",
        implementation=str(framework.folder.relative_to(root)) if framework and row.bridge else "",
        values=line,
    )


def _files(folder: Path, entries: Sequence[Entry], runs: Sequence[Mapping[str, str]]) -> dict[int, Mapping[str, Any]]:
    first: dict[Row, int] = {}
    for run in runs:
        if run["status"] == "ok":
            first.setdefault(Row(*(run[column] for column in ROW_COLUMNS)), int(run["run"]))
    found: dict[int, Mapping[str, Any]] = {}
    seen: set[str] = set()
    for entry in entries:
        model = MODELS.get(entry.row.model)
        path = folder / Path(run_file(entry.row, first.get(entry.row, 0))).relative_to("results")
        # Features make large files, and nothing of them is drawn.
        if path.exists() and model and (model.trains or model.name not in seen):
            found[entry.number] = read_json(path)
            seen.add(model.name)
    return found
