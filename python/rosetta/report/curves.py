"""The loss curves, drawn by Matplotlib as SVG that takes its colours and letters from the page."""

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from rosetta.report.proof import Curve

INCHES = (5.6, 3.6)  # 72 points each: near the size it is shown at, so that letters are as large as the page's
POINTS = 8_000  # of all curves together: keeps a page of 500 rows small
MOST_POINTS, FEWEST_POINTS = 240, 24  # of one curve

# Matplotlib knows no colours of a style sheet: these stand for them until the SVG is written.
INK, FAINT = "#010101", "#020202"
SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "rosetta",  # the same curves make the same file
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
}


def draw(name: str, curves: Sequence[Curve], colours: Mapping[str, str]) -> str:
    """Losses by step, a line for each row; a dashed one is not verified.

    Args:
        name: the model's.
        colours: language -> a colour as CSS has it, such as `var(--language-1)`.

    Returns:
        An `svg` element. The line of entry 17 is the group `loss-17`.
    """
    stand_ins = {language: f"#0100{number:02x}" for number, language in enumerate(colours)}
    points = min(MOST_POINTS, max(FEWEST_POINTS, POINTS // len(curves)))
    with mpl.rc_context(SETTINGS):
        curves = sorted(curves, key=lambda curve: list(colours).index(curve.entry.row.language))
        figure = Figure(figsize=INCHES, layout="constrained")
        axes = figure.subplots()
        # The same losses lie under one another: each language's lines are thinner than those below them.
        widths = dict(zip(colours, np.linspace(3.2, 1.2, len(colours)), strict=True))
        for curve in curves:
            steps, losses = thinned(curve.losses, points)
            (line,) = axes.plot(
                steps,
                losses,
                color=stand_ins[curve.entry.row.language],
                linestyle="solid" if curve.entry.is_verified else (0, (3, 2)),
                linewidth=widths[curve.entry.row.language],
                alpha=0.8,
            )
            line.set_gid(f"loss-{curve.entry.number}")
        axes.set_xlabel("training step")
        axes.set_ylabel("loss (cross-entropy, nats)")
        axes.grid(axis="y")
        axes.margins(x=0.01)
        written = io.StringIO()
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    css = {INK: "currentColor", FAINT: "var(--rule)", **{stand_ins[name]: colours[name] for name in colours}}
    return _for_page(written.getvalue(), name, css)


def thinned(losses: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """At most so many points of a curve: the means of equally long stretches, each at its middle step (from 1)."""
    if len(losses) <= points:
        return np.arange(1, len(losses) + 1), losses
    parts = np.array_split(losses, points)
    ends = np.cumsum([len(part) for part in parts])
    middles = ends - np.array([len(part) for part in parts]) / 2 + 0.5
    return middles, np.array([part.mean() for part in parts])


def _for_page(svg: str, name: str, css: Mapping[str, str]) -> str:
    """The `svg` element alone, in the page's colours, with ids of its own."""
    element = svg[svg.index("<svg") :]
    # Its style would hold for the whole page; style.css has what is needed of it.
    element = re.sub(r"<metadata>.*?</metadata>|<style.*?</style>", "", element, flags=re.DOTALL)
    label = f"{name}: training loss by step, a line for each row that ran"
    element = re.sub(
        r"<svg [^>]*>", f'<svg viewBox="{_view_box(svg)}" role="img" aria-label="{label}">', element, count=1
    )
    element = re.sub(r'(\bid="|url\(#|href="#)(?!loss-)', rf"\1{name}-", element)
    element = re.sub(r' d="[^"]*"', _short_path, element)
    for stand_in, colour in css.items():
        element = element.replace(stand_in, colour)
    return re.sub(r"[ \t]*\n\s*", "\n", element)


def _short_path(path: re.Match[str]) -> str:
    """A path's numbers to a tenth of a point, which is finer than a screen; lines follow a move without being named."""
    short = re.sub(r"(\d+\.\d)\d+", r"\1", path[0])
    return " " + " ".join(short.replace("\nL ", " ").split())


def _view_box(svg: str) -> str:
    found = re.search(r'viewBox="([^"]+)"', svg)
    assert found is not None  # Matplotlib writes one
    return found[1]
