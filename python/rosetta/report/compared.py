"""The page of a comparison of two tables."""

from pathlib import Path

from rosetta.compare import KINDS, WORSE, Comparison
from rosetta.files import write_text
from rosetta.report.axes import ratios
from rosetta.report.page import environment, language_colours

TITLES = {
    "worse": "Changed for the worse",
    "gone": "Gone",
    "slower": "Slower",
    "better": "Changed for the better",
    "new": "New",
    "faster": "Faster",
    "same": "As fast as before",
    "not compared": "Not compared",
}


def write_comparison(comparison: Comparison, a: Path, b: Path, page: Path) -> None:
    """Write a comparison as a page, whole or not at all."""
    speeds = [change.speed for change in comparison.changes if change.speed is not None]
    text = (
        environment()
        .get_template("compare.html.j2")
        .render(
            comparison=comparison,
            a=a,
            b=b,
            kinds=[(kind, TITLES[kind], comparison.of(kind)) for kind in KINDS],
            worse=WORSE,
            axis=ratios(speeds),
            colours=language_colours(change.row.language for change in comparison.changes),
        )
    )
    write_text(page, text)
