"""The two tables: results/table.csv, a line per row, and results/runs.csv, a line per run.

docs/table.md explains the columns.
"""

import csv
import io
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rosetta import cautions, published
from rosetta.errors import RosettaError
from rosetta.files import read_json, write_text
from rosetta.languages import Framework, Row, discover, rows
from rosetta.models import MODELS, Model
from rosetta.plan import run_file
from rosetta.referee import Verdict, judge, read_reference
from rosetta.statistics import summarize

PHASES = ("start_s", "import_s", "load_s", "build_s", "first_step_s", "epoch_s", "predict_s")

ROW_COLUMNS = ("language", "framework", "model", "bridge")
RUN_COLUMNS = (
    *ROW_COLUMNS,
    *("device", "data", "status", "reason", "verified", "run", "verdict", "distance", "tolerance", "adam"),
    *("device_name", "precision", "compile", "threads", "seed"),
    *("weights", "epochs", "steps", "batch_size", "test_examples"),
    *PHASES,
    *("samples_per_s", "first_loss", "last_loss", "accuracy", "feature_mean", "feature_deviation"),
    *("target_accuracy", "epochs_to_target", "seconds_to_target", "evaluate_s"),
    *("wall_s", "cpu_s", "energy_j", "peak_rss_bytes", "exit_code", "started_at"),
    *("versions", "processor", "warnings", "log"),
)
TABLE_COLUMNS = (
    *ROW_COLUMNS,
    *("device", "data", "status", "reason", "verified", "rank"),
    *(
        "samples_per_s",
        "samples_per_s_low",
        "samples_per_s_high",
        "confidence",
        "runs",
        "verdict",
        "distance",
        "tolerance",
        "adam",
        "device_name",
        "precision",
        "compile",
        "threads",
    ),
    *("weights", "epochs", "steps", "batch_size", "test_examples"),
    *(column for phase in PHASES for column in (phase, f"{phase}_low", f"{phase}_high")),
    *("wall_s", "cpu_s", "energy_j", "peak_rss_bytes", "last_loss", "accuracy", "feature_mean", "feature_deviation"),
    *("target_accuracy", "epochs_to_target", "seconds_to_target", "evaluate_s"),
    *("versions", "processor", "warnings"),
    *("published_label", "published_metric", "published_k80_s", "published_p100_s"),
)
INTERVALS = (*PHASES, "samples_per_s")
TO_TARGET = ("epochs_to_target", "seconds_to_target")
MEDIANS = (
    *INTERVALS,
    *("wall_s", "cpu_s", "energy_j", "peak_rss_bytes", "last_loss", "accuracy", "evaluate_s"),
    *TO_TARGET,
)


@dataclass(frozen=True)
class Line:
    """A line of a table: its row and its other values by column; what is not there stays empty."""

    row: Row
    values: dict[str, Any]


def write_tables(root: Path, config: dict[str, Any], table: Path, runs: Path) -> None:
    """Referee the runs of all rows and write both tables, each whole or not at all.

    Raises:
        RosettaError: a run file or a reference is missing or broken.
    """
    languages = discover(root)
    systems = published.read(root)
    table_lines: list[Line] = []
    run_lines: list[Line] = []
    references: dict[str, Any] = {}
    planned = rows(languages, config["only"])
    for row in planned:
        framework = languages[row.language].frameworks[row.framework]
        if row.model not in references:
            references[row.model] = read_reference(root / "shared_data", row.model)
        files = [read_json(root / run_file(row, run)) for run in range(1, config["runs"] + 1)]
        own = [
            _run_line(row, framework, file, references[row.model], run_file(row, run + 1).replace(".json", ".log"))
            for run, file in enumerate(files)
        ]
        run_lines += own
        table_lines.append(_table_line(row, own, published.of(systems, row.language, row.framework, row.model)))
    table_lines = _compared(table_lines)
    table_lines += [_unwritten(system) for system in systems if _is_unwritten(system, planned, config["only"])]
    write_text(table, _csv(TABLE_COLUMNS, _ordered(_ranked(table_lines))))
    write_text(runs, _csv(RUN_COLUMNS, run_lines))


def read_table(path: Path, columns: Sequence[str] = TABLE_COLUMNS) -> list[dict[str, str]]:
    """The lines of a table.csv, or of a runs.csv with its columns.

    Raises:
        RosettaError: it is missing, or no such table.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            lines = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RosettaError(f"{path} cannot be read ({error}). Make it: snakemake --cores 1 results/table.csv") from None
    missing = [column for column in columns if column not in (reader.fieldnames or ())]
    if missing:
        raise RosettaError(
            f"{path} lacks the column {missing[0]}: it is no such table, or of another version. "
            "Make it again: snakemake --cores 1 results/table.csv"
        )
    for number, line in enumerate(lines, 2):
        if None in line.values() or None in line:
            raise RosettaError(
                f"{path}, line {number} has too few or too many values. Delete the file and make it again."
            )
    return lines


def state(line: Mapping[str, str]) -> str:
    """In a word, what became of a row of the table: verified, deviates, unverified, failed, unavailable."""
    if line["status"] != "ok":
        return line["status"]
    return {"yes": "verified", "deviates": "deviates"}.get(line["verified"], "unverified")


def check(table: Path) -> list[str]:
    """A sentence for each row of a table that failed or was not verified, and one if no row is ok.

    Raises:
        RosettaError: the table is missing, or no such table.
    """
    lines = read_table(table, (*ROW_COLUMNS, "status", "reason", "verified", "verdict"))
    problems = [] if any(line["status"] == "ok" for line in lines) else [f"{table}: no row is ok"]
    for line in lines:
        name = "/".join(line[column] for column in ROW_COLUMNS)
        if line["status"] == "failed":
            problems.append(f"{name} failed: {line['reason']}")
        elif line["verified"] == "no":
            problems.append(f"{name} is not verified: {line['verdict']}")
    return problems


def _run_line(row: Row, framework: Framework, file: dict[str, Any], reference: Any, log: str) -> Line:
    settings = file["settings"]
    values: dict[str, Any] = {
        "device": file["device"],
        "data": file["data"]["dataset"],
        "status": file["status"],
        "reason": file["reason"],
        "run": file["run"],
        "precision": settings["precision"],
        "compile": _word(settings["compile"] or framework.compile == "always"),
        "threads": settings["threads"],
        "seed": settings["seed"],
        "weights": file["data"]["weights"],
        "processor": file["machine"]["processor"],
        "warnings": [*file["warnings"], *map(str, cautions.of_run(file)), *(file["record"] or {}).get("notes", [])],
        "energy_j": file["energy_j"],
        "log": log,
        **file["work"],
        **_process(file["process"]),
    }
    if row.model == "gru" and framework.trains:
        values["adam"] = framework.adam
    record = file["record"]
    if file["status"] == "ok" and record:
        values |= _measured(row, file["work"], record)
        expected = reference if framework.trains else reference.untrained()
        verdict = judge(expected, settings["precision"], framework.adam, record, framework.deviations.get(row.model))
        values |= _verdict(verdict)
    return Line(row, values)


def _process(process: dict[str, Any] | None) -> dict[str, Any]:
    if not process:
        return {}
    return {
        "cpu_s": round(process["cpu_user_s"] + process["cpu_system_s"], 3),
        **{name: process[name] for name in ("wall_s", "peak_rss_bytes", "exit_code", "started_at")},
    }


def _measured(row: Row, work: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    """What a record says; a run's epoch time is the median of its epochs."""
    phases = record["phases"]
    epochs = phases["epoch_s"]
    epoch_s = statistics.median(epochs) if epochs else None
    values: dict[str, Any] = {phase: phases[phase] for phase in PHASES if phase != "epoch_s"}
    if epoch_s is not None:
        values["epoch_s"] = epoch_s
        values["samples_per_s"] = work["steps"] * work["batch_size"] / epoch_s
    elif not MODELS[row.model].trains:
        values["samples_per_s"] = work["test_examples"] / phases["predict_s"]
    if "losses" in record:
        values["first_loss"] = record["losses"]["first_step"]
        values["last_loss"] = statistics.fmean(record["losses"]["epochs"][-1])
        values["accuracy"] = record["accuracy"]
        values |= _time_to_target(MODELS[row.model], record)
    else:
        values["feature_mean"] = record["features"]["mean"]
        values["feature_deviation"] = record["features"]["deviation"]
    return {
        **values,
        "threads": record["threads"],
        "precision": record["precision"],
        "device": record["device"]["kind"],
        "device_name": record["device"]["name"],
        "versions": "; ".join(f"{name} {version}" for name, version in record["versions"].items()),
    }


def _time_to_target(model: Model, record: dict[str, Any]) -> dict[str, Any]:
    """When the test accuracy first reached the model's target: seconds of training, without those of evaluation."""
    accuracies = record.get("epoch_accuracy", [])
    if not accuracies:
        return {}
    values: dict[str, Any] = {
        "target_accuracy": model.target_accuracy,
        "evaluate_s": statistics.median(record["phases"]["evaluate_s"]),
    }
    reached = [epoch for epoch, accuracy in enumerate(accuracies, 1) if accuracy >= model.target_accuracy]
    if reached:
        values["epochs_to_target"] = reached[0]
        phases = record["phases"]
        values["seconds_to_target"] = phases["first_step_s"] + sum(phases["epoch_s"][: reached[0]])
    return values


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "verified": verdict.verified,
        "distance": verdict.distance,
        "tolerance": verdict.tolerance,
        "verdict": verdict.reason,
    }


def _table_line(row: Row, runs: Sequence[Line], system: published.Published | None) -> Line:
    """A row's runs in one line: medians and spreads of those that went well, and the worst status and verdict."""
    good = [line.values for line in runs if line.values["status"] == "ok"]
    shown = _worst(runs).values
    values = {column: shown[column] for column in TABLE_COLUMNS if column in shown and column not in TO_TARGET}
    values["runs"] = len(good)
    for column in MEDIANS:
        measured = [run[column] for run in good if run.get(column) is not None]
        # The median of those runs alone that reached the target would flatter a row that seldom does.
        if measured and (column not in TO_TARGET or len(measured) == len(good)):
            summary = summarize(measured)
            values[column] = summary.median
            if summary.interval and column in INTERVALS:
                values[f"{column}_low"] = summary.interval.low
                values[f"{column}_high"] = summary.interval.high
                values["confidence"] = summary.interval.confidence
    doubts = [doubt for line in runs for doubt in line.values["warnings"]]
    doubts += map(str, cautions.of_runs([run["samples_per_s"] for run in good if "samples_per_s" in run]))
    values["warnings"] = list(dict.fromkeys(doubts))
    return Line(row, {**values, **_published(system)})


def _worst(runs: Sequence[Line]) -> Line:
    """The run that a row is judged by: one that did not end well, else one that computed something else."""
    status = {"failed": 0, "unavailable": 1, "ok": 2}
    verified = {"no": 0, "deviates": 1, "yes": 2}
    return min(runs, key=lambda run: (status[run.values["status"]], verified.get(run.values.get("verified", ""), 3)))


def _published(system: published.Published | None) -> dict[str, Any]:
    if system is None:
        return {}
    return {
        "published_label": system.label,
        "published_metric": system.metric,
        **{f"published_{gpu.lower()}_s": seconds for gpu, seconds in system.seconds.items()},
    }


def _unwritten(system: published.Published) -> Line:
    """The line of a system of 2018 that has no implementation here: its published figures stay in view."""
    reason = "published in 2018; there is no implementation of it here yet (docs/adding.md says how to add one)"
    row = Row(system.language, system.framework, system.model, "")
    return Line(row, {"status": "unavailable", "reason": reason, "runs": 0, **_published(system)})


def _is_unwritten(system: published.Published, planned: Iterable[Row], only: dict[str, list[str]]) -> bool:
    wanted = all(
        getattr(system, kind.removesuffix("s")) in names for kind, names in only.items() if names and kind != "bridges"
    )
    written = {(row.language, row.framework, row.model) for row in planned}
    return wanted and (system.language, system.framework, system.model) not in written


def _compared(lines: Sequence[Line]) -> list[Line]:
    """Add the doubt about a row whose accuracy lies outside that of its peers."""
    compared: list[Line] = []
    for line in lines:
        warnings = list(line.values["warnings"])
        if "accuracy" in line.values:
            warnings += map(str, cautions.of_peers(line.values["accuracy"], _peer_accuracies(line, lines)))
        compared.append(Line(line.row, {**line.values, "warnings": warnings}))
    return compared


def _peer_accuracies(line: Line, lines: Iterable[Line]) -> list[float]:
    """Of the other implementations that were proven to do the same work on the same data: each once, by any bridge."""
    accuracies = {
        (peer.row.language, peer.row.framework): peer.values["accuracy"]
        for peer in lines
        if peer.row.model == line.row.model
        and peer.values.get("data") == line.values.get("data")
        and peer.values.get("verified") in ("yes", "deviates")
        and "accuracy" in peer.values
    }
    accuracies.pop((line.row.language, line.row.framework), None)
    return list(accuracies.values())


def _ranked(lines: Iterable[Line]) -> list[Line]:
    """Rank the verified rows of each model, device, precision and data set by samples per second, and no others."""
    ranked: list[Line] = []
    seen: dict[tuple[Any, ...], int] = {}
    for line in sorted(lines, key=lambda line: -line.values.get("samples_per_s", 0)):
        values = dict(line.values)
        if values.get("verified") == "yes" and "samples_per_s" in values:
            group = (line.row.model, *(values[column] for column in ("device", "precision", "data")))
            values["rank"] = seen[group] = seen.get(group, 0) + 1
        ranked.append(Line(line.row, values))
    return ranked


def _ordered(lines: Iterable[Line]) -> list[Line]:
    """By model, ranked rows first, then those that ran, then the rest by name."""
    models = list(MODELS)
    return sorted(
        lines,
        key=lambda line: (
            models.index(line.row.model),
            line.values.get("rank", float("inf")),
            line.values["status"] != "ok",
            line.values["status"] != "failed",
            line.row.bridge == "",
            line.row,
        ),
    )


def _csv(columns: Sequence[str], lines: Iterable[Line]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", restval="")
    writer.writeheader()
    for line in lines:
        values = {**asdict(line.row), **line.values}
        writer.writerow({column: _shown(values.get(column)) for column in columns})
    return text.getvalue()


def _shown(value: Any) -> str:
    """Floats with six significant digits, lists as sentences, nothing for what is not there."""
    if value is None:
        return ""
    if isinstance(value, list):
        return "; ".join(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _word(value: bool) -> str:
    return "yes" if value else "no"
