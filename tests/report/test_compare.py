"""Two tables compared: what counts as a change, and what a script is told."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from rosetta.compare import compare
from rosetta.errors import RosettaError
from rosetta.table import Line

from .results import line, write

ROOT = Path(__file__).resolve().parents[2]
GRU = "python/pytorch/gru/native"


def kinds(tmp_path: Path, before: list[Line], after: list[Line], **options: float | str) -> dict[str, str]:
    a, b = write(tmp_path / "a", before), write(tmp_path / "b", after)
    comparison = compare(a / "table.csv", b / "table.csv", **options)  # type: ignore[arg-type]
    return {str(change.row): change.kind for change in comparison.changes}


@pytest.mark.parametrize(
    ("before", "after", "kind"),
    [
        (line(GRU, 100.0, 5.0), line(GRU, 109.0, 5.0), "same"),  # 95 to 105, 104 to 114
        (line(GRU, 100.0, 5.0), line(GRU, 111.0, 5.0), "faster"),
        (line(GRU, 100.0, 1.0), line(GRU, 97.0, 1.0), "slower"),
        (line(GRU, 100.0), line(GRU, 109.0), "same"),  # one run each: 10 % counts
        (line(GRU, 100.0), line(GRU, 111.0), "faster"),
        (line(GRU, 100.0, 1.0), line(GRU, 89.0), "slower"),
        (line(GRU, 100.0), line(GRU, status="failed"), "worse"),
        (line(GRU, 100.0), line(GRU, 200.0, verified="no"), "worse"),
        (line(GRU, 100.0), line(GRU, 100.0, verified="deviates"), "worse"),
        (line(GRU), line(GRU, status="failed"), "worse"),
        (line(GRU), line(GRU, 100.0), "better"),
        (line(GRU), line(GRU), "not compared"),
        (line(GRU, 100.0, verified="no"), line(GRU, 200.0, verified="no"), "not compared"),
        (line(GRU, 100.0, verified="deviates"), line(GRU, 200.0, verified="deviates"), "faster"),
    ],
)
def test_what_counts_as_a_change(before: Line, after: Line, kind: str, tmp_path: Path) -> None:
    assert kinds(tmp_path, [before], [after]) == {GRU: kind}


def test_rows_come_and_go(tmp_path: Path) -> None:
    other = "julia/base/gru/native"
    assert kinds(tmp_path, [line(GRU, 1.0)], [line(other, 1.0)]) == {GRU: "gone", other: "new"}
    assert kinds(tmp_path, [], [line(other)]) == {other: "not compared"}
    # A system of 2018 without a row is no row.
    assert kinds(tmp_path, [line("julia/knet/gru/")], []) == {}


def test_less_time_is_faster(tmp_path: Path) -> None:
    a, b = line(GRU, 100.0, import_s=4.0), line(GRU, 100.0, import_s=2.0)
    assert kinds(tmp_path, [a], [b], measure="import_s") == {GRU: "faster"}
    assert kinds(tmp_path, [b], [a], measure="import_s") == {GRU: "slower"}
    assert kinds(tmp_path, [a], [b], measure="import_s", threshold=0.6) == {GRU: "same"}


def test_circumstances_that_differ_are_said(tmp_path: Path) -> None:
    a, b = line(GRU, 1.0), line(GRU, 1.0, threads=4, versions="python 3; pytorch 1.6")
    tables = [write(tmp_path / name, [one]) / "table.csv" for name, one in (("a", a), ("b", b))]
    assert compare(*tables).circumstances == ("threads: 8 -> 4 (1 row)", "pytorch: 1.5 -> 1.6 (1 row)")


def test_a_row_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    table = write(tmp_path, [line(GRU, 1.0), line(GRU, 2.0)]) / "table.csv"
    with pytest.raises(RosettaError, match="two lines for python/pytorch/gru/native"):
        compare(table, table)


def rosetta(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "python/rosetta"), "compare", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def test_the_command_line_tells_people_and_scripts(tmp_path: Path) -> None:
    slower, other = line(GRU, 100.0, 1.0), "julia/base/gru/native"
    a = write(tmp_path / "a", [slower, line(other, 50.0)]) / "table.csv"
    b = write(tmp_path / "b", [line(GRU, 80.0, 1.0), line(other, 51.0)]) / "table.csv"
    done = rosetta(a, b, "--csv", tmp_path / "changes.csv", "--html", tmp_path / "changes.html")
    assert done.returncode == 1
    assert f"slower (1)\n  {GRU}  100 (99 to 101) -> 80 (79 to 81) samples_per_s, 0.80 times as fast" in done.stdout
    assert "1 rows are as fast as they were" in done.stdout
    with (tmp_path / "changes.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["framework"], first["change"], first["speed"], first["by_spread"]) == (
        "pytorch",
        "slower",
        "0.8",
        "yes",
    )
    assert (first["a_low"], first["b_value"]) == ("99", "80")
    assert (second["change"], second["a_low"], second["by_spread"]) == ("same", "", "no")
    page = BeautifulSoup((tmp_path / "changes.html").read_text(), "html.parser")
    assert "0.800" in page.find(id="slower").get_text()
    assert "pytorch" not in page.find(id="same").get_text()

    assert rosetta(a, a).returncode == 0
    assert rosetta(b, a).returncode == 0  # faster
    missing = rosetta(a, tmp_path / "none.csv")
    assert missing.returncode == 1
    assert "none.csv cannot be read" in missing.stderr
    assert "Traceback" not in missing.stderr
    assert rosetta(a).returncode == 2
