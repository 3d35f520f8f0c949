"""The command line. Imports of a command stay inside it, so that --help is instant."""

import argparse
import contextlib
import json
import signal
import sys
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rosetta import __version__
from rosetta.errors import RosettaError

SHARED_DATA = Path("shared_data")

INTERRUPTED = 130  # exit code, as a shell's for SIGINT
PR_SET_PDEATHSIG = 1

PHASES = ("start", "import", "load", "build", "first_step", "epoch", "predict")

EXAMPLES = """\
the whole table      snakemake --cores 1 results/table.csv
what is installed    make doctor

The other commands are the steps of the Snakefile, which gives them their settings.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 if all went well, 1 for an error of the user's to mend (one message), 2 for wrong usage."""
    options = _parser().parse_args(arguments)
    log: Path | None = getattr(options, "log", None)
    _end_with_parent()
    signal.signal(signal.SIGTERM, _stop)
    try:
        if log and options.command is not run:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text("", encoding="utf-8")
        status: int = options.command(options) or 0
    except RosettaError as error:
        _report(f"error: {error}", log)
        return 1
    except OSError as error:
        _report(f"error: {error}. Is the disk full, or a file not yours to write?", log)
        return 1
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception:
        _report(f"internal error, please report it:\n{traceback.format_exc()}", log)
        return 1
    return status


def prepare(options: argparse.Namespace) -> None:
    """Write a model's data set to shared_data/."""
    from rosetta.data import DataSettings, prepare

    settings = options.settings
    sheet = prepare(
        options.model,
        SHARED_DATA,
        DataSettings(
            data_dir=_path(settings["data_dir"]),
            download=settings["download"],
            seed=settings["seed"],
            photos=settings["photos"] or 0,
        ),
    )
    _mark(sheet, options, SHARED_DATA)


def weights(options: argparse.Namespace) -> None:
    """Write a model's initial weights to shared_data/weights/."""
    from rosetta.weights import write_weights

    settings = options.settings
    sheet = write_weights(
        options.model, SHARED_DATA, settings["seed"], _path(settings["data_dir"]), settings["download"]
    )
    _mark(sheet, options, SHARED_DATA / "weights")
    _report(f"weights: {options.model}: {sheet.facts['title']}", options.log)


def batches(options: argparse.Namespace) -> None:
    """Write the order of a model's batches to shared_data/batches/."""
    from rosetta.batches import write_batches

    settings = options.settings
    counts = (settings["epochs"], settings["train_examples"], settings["test_examples"])
    sheet = write_batches(options.model, SHARED_DATA, settings["seed"], *counts)
    _mark(sheet, options, SHARED_DATA / "batches")
    epochs, steps, batch_size = sheet.tensors["batches"].shape
    _report(f"batches: {options.model}: {epochs} epochs of {steps} steps of {batch_size} examples", options.log)


def reference(options: argparse.Namespace) -> None:
    """Compute a model's float64 reference, in shared_data/reference/."""
    from rosetta.reference import write_reference

    _report(f"reference: {options.model}: computing what every row must agree with, in float64", options.log)
    sheet = write_reference(options.model, SHARED_DATA, options.settings["seed"])
    _mark(sheet, options, SHARED_DATA / "reference")


def run(options: argparse.Namespace) -> int:
    """Run one implementation once and record how it went."""
    from rosetta.launch import Limits
    from rosetta.runs import run

    limits = Limits(wall_s=options.wall_s, memory_bytes=options.memory_mib * 2**20, exit_grace_s=options.exit_grace_s)
    return run(Path.cwd(), SHARED_DATA, options.settings, limits, options.output, options.log)


def table(options: argparse.Namespace) -> None:
    """Referee all runs and write the two tables."""
    from rosetta.files import write_json
    from rosetta.table import write_tables

    write_tables(Path.cwd(), options.settings["config"], options.table, options.runs)
    write_json(options.made_with, options.settings)


def report(options: argparse.Namespace) -> None:
    """Write the report: one page with the results and the implementations side by side."""
    with _installed("the report"):
        from rosetta.report import write_report

    write_report(Path.cwd(), options.table, options.runs, options.made_with, options.page)


def compare(options: argparse.Namespace) -> int:
    """Compare two tables: exit 1 if a row became slower, changed for the worse or is gone."""
    from rosetta.compare import as_csv, as_text, compare
    from rosetta.files import write_text

    comparison = compare(options.a, options.b, options.by, options.threshold / 100)
    if options.csv:
        write_text(options.csv, as_csv(comparison))
    if options.html:
        with _installed("a page"):
            from rosetta.report.compared import write_comparison

        write_comparison(comparison, options.a, options.b, options.html)
    print(as_text(comparison, options.a, options.b), end="")
    return 1 if comparison.is_worse else 0


def check(options: argparse.Namespace) -> int:
    """Exit 1 if a row of the table failed or computed something else, or if none is ok."""
    from rosetta.table import check

    problems = check(options.table)
    for problem in problems:
        _report(problem, options.log)
    return 1 if problems else 0


def doctor(options: argparse.Namespace) -> int:
    """Say what is installed, what is missing, which rows that costs and what would mend it."""
    from rosetta.doctor import report

    print(report(Path.cwd()))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rosetta",
        description="One deep-learning benchmark in every language: the runner.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rosetta {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    for command in (prepare, weights, batches, reference):
        step = _add(commands, command)
        step.add_argument("model", choices=["cnn", "resnet50", "gru"])
        _add_step_options(step)

    step = _add(commands, run)
    step.add_argument("output", type=Path, help="the run file to write")
    _add_step_options(step)
    step.add_argument("--wall-s", type=float, required=True, help="longest time in seconds")
    step.add_argument("--memory-mib", type=int, required=True, help="most resident memory in MiB")
    step.add_argument("--exit-grace-s", type=float, default=10, help="seconds to end after the answer")

    step = _add(commands, table)
    step.add_argument("table", type=Path, help="a line per row: results/table.csv")
    step.add_argument("runs", type=Path, help="a line per run: results/runs.csv")
    step.add_argument("made_with", type=Path, help="what they were made with: results/settings.json")
    _add_step_options(step)

    step = _add(commands, report)
    for name, path, text in (
        ("table", "results/table.csv", "a line per row"),
        ("runs", "results/runs.csv", "a line per run"),
        ("made_with", "results/settings.json", "what they were made with"),
        ("page", "results/report.html", "the page to write"),
    ):
        step.add_argument(name, type=Path, nargs="?", default=Path(path), help=f"{text} (default: {path})")
    step.add_argument("--log", type=Path, help="also write messages to this file")

    step = _add(commands, compare)
    step.add_argument("a", type=Path, metavar="A.csv", help="the table before: another date, machine or setting")
    step.add_argument("b", type=Path, metavar="B.csv", help="the table after")
    step.add_argument(
        "--by",
        default="samples_per_s",
        choices=["samples_per_s", *(f"{phase}_s" for phase in PHASES)],
        help="the figure that is compared (default: samples_per_s)",
    )
    step.add_argument(
        "--threshold",
        type=float,
        default=10,
        metavar="PERCENT",
        help="the least change that counts where a row ran once, so that its spread is not known (default: 10)",
    )
    step.add_argument("--csv", type=Path, metavar="FILE", help="also write all rows as CSV")
    step.add_argument("--html", type=Path, metavar="FILE", help="also write a page")

    step = _add(commands, check)
    step.add_argument("table", type=Path, nargs="?", default=Path("results/table.csv"))
    step.add_argument("--log", type=Path, help="also write messages to this file")

    _add(commands, doctor)
    return parser


def _add(commands: Any, command: Any) -> argparse.ArgumentParser:
    text = command.__doc__.splitlines()[0]
    added: argparse.ArgumentParser = commands.add_parser(command.__name__, help=text, description=text)
    added.set_defaults(command=command)
    return added


def _add_step_options(step: argparse.ArgumentParser) -> None:
    step.add_argument(
        "--settings", type=json.loads, required=True, help="the step's settings, JSON (see the Snakefile)"
    )
    step.add_argument("--log", type=Path, required=True, help="the step's log file")


def _mark(sheet: Any, options: argparse.Namespace, folder: Path) -> None:
    """Note in a sheet how often it was made again, as `Plan` counts it."""
    sheet.facts["generation"] = options.settings["generation"]
    sheet.write(folder / f"{options.model}.json")


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None


@contextlib.contextmanager
def _installed(what: str) -> Iterator[None]:
    """Have a missing package, of an environment of the user's own, named as what it is."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = str(error.name).partition(".")[0]
        raise RosettaError(
            f"{what} needs {package}, which is not installed in this Python: pip install -r envs/runner.txt"
        ) from None


def _report(message: str, log: Path | None) -> None:
    """Tell the person who waits, and the log if it can be written."""
    print(message, file=sys.stderr)
    if log:
        with contextlib.suppress(OSError), log.open("a", encoding="utf-8") as file:
            file.write(message + "\n")


def _end_with_parent() -> None:
    """Have the kernel end this process with the one that started it, so that no step outlives Snakemake."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)


def _stop(number: int, frame: object) -> None:
    """At SIGTERM, end as at Ctrl-C: files that are being written are removed."""
    raise KeyboardInterrupt
