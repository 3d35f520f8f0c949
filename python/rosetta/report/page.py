"""The page: all parts rendered into one file that needs no other."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from rosetta import __version__
from rosetta.files import write_text
from rosetta.models import MODELS, Model
from rosetta.report import bridges, curves, history, memory, numbers, phases, proof, ranking
from rosetta.report.provenance import data_kind, provenance, words
from rosetta.report.results import Entry, Results, read_results
from rosetta.report.stone import SECTIONS, Implementation, implementations
from rosetta.report.terms import read_terms
from rosetta.statistics import FEWEST_FOR_CONFIDENCE

TEMPLATES = Path(__file__).with_name("templates")
COLOURS = 6  # languages with a colour of their own in style.css


@dataclass(frozen=True)
class ModelPart:
    """Everything that the page says of one model.

    Attributes:
        data: its data set's name for people; "" if no row ran.
        kind: real, stand-in or generated.
        unwritten: systems of 2018 without a row here.
        losses: the loss curves, an `svg` element; "" where there are none.
    """

    model: Model
    data: str
    kind: str
    entries: Sequence[Entry]
    charts: Sequence[ranking.Chart]
    predictions: Sequence[ranking.Chart]
    unranked: Sequence[ranking.Unranked]
    unwritten: Sequence[Entry]
    phases: phases.Chart | None
    memory: memory.Chart | None
    proof: proof.Proof | None
    losses: Markup
    history: history.Comparison | None


def write_report(root: Path, table: Path, runs: Path, settings: Path, page: Path) -> None:
    """Write the page, whole or not at all.

    Args:
        root: the project folder, which holds the implementations.
        table, runs, settings: table.csv, runs.csv and settings.json, all from one run of the workflow.

    Raises:
        RosettaError: one of them, or docs/terms.yaml, is missing or broken.
    """
    results = read_results(root, table, runs, settings)
    colours = language_colours([*results.languages, *(entry.row.language for entry in results.entries)])
    shown = implementations(root, results.languages)
    terms = read_terms(root)
    text = (
        environment()
        .get_template("report.html.j2")
        .render(
            colours=colours,
            results=results,
            parts=[_part(model, results, colours) for model in results.models],
            costs=bridges.costs(results.entries),
            provenance=provenance(results),
            implementations=shown,
            rows_of={one.key: _rows_of(one, results.entries) for one in shown},
            shown_first=_shown_first(shown, results.entries),
            terms=terms,
            in_terms=[one for one in shown if any(one.key in term.spellings for term in terms)],
            facts=_facts(results.entries),
            before=phases.BEFORE,
            after=phases.AFTER,
        )
    )
    write_text(page, text)


def environment() -> Environment:
    """Templates and the words they know; all text is escaped."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(
        significant=numbers.significant,
        seconds=numbers.seconds,
        megabytes=numbers.megabytes,
        percent=numbers.percent,
        times=numbers.times,
        scientific=numbers.scientific,
        difference=numbers.difference,
        exact=numbers.tick,
        words=words,
        coded=coded,
        gridlines=gridlines,
    )
    made.globals.update(
        include_file=lambda name: Markup((TEMPLATES / name).read_text(encoding="utf-8")),
        version=__version__,
        models=MODELS,
        fewest_runs=FEWEST_FOR_CONFIDENCE,
        file_names=[*MODELS, "framework"],
        section_names=section_names,
    )
    return made


def language_colours(names: Iterable[str]) -> dict[str, str]:
    """A colour of the style sheet for each language."""
    return {name: f"var(--language-{number % COLOURS})" for number, name in enumerate(sorted(set(names)))}


def coded(text: str) -> Markup:
    """A sentence whose code stands in backticks, as HTML."""
    parts = str(escape(text)).split("`")
    return Markup("".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts)))


def gridlines(axis: Any) -> str:
    """An axis's marks as CSS backgrounds, which stand behind every row of a chart."""
    return ",".join(f"linear-gradient(var(--rule),var(--rule)) {mark.at}% 0/1px 100% no-repeat" for mark in axis.marks)


def section_names(shown: Sequence[Implementation], name: str) -> list[str]:
    """The sections that any of the implementations has in its file of this name, in their order."""
    found = {section for one in shown for section in one.sections.get(name, {})}
    return [section for section in SECTIONS if section in found] + sorted(found - set(SECTIONS))


def _part(name: str, results: Results, colours: Mapping[str, str]) -> ModelPart:
    entries = results.of(name)
    proven = proof.proof(name, results)
    names = list(dict.fromkeys(entry["data"] for entry in entries if entry["data"]))
    losses = ""
    if proven and proven.curves:
        losses = curves.draw(name, proven.curves, colours)
    return ModelPart(
        model=MODELS[name],
        data=results.data_title(name) or words(names),
        kind=data_kind(names[0]) if names else "",
        entries=entries,
        charts=ranking.charts(entries),
        predictions=ranking.prediction_charts(entries),
        unranked=ranking.unranked(entries),
        unwritten=[entry for entry in entries if not entry.row.bridge],
        phases=phases.chart(name, entries),
        memory=memory.chart(entries),
        proof=proven,
        losses=Markup(losses),
        history=history.comparison(results.root, name, entries),
    )


def _rows_of(implementation: Implementation, entries: Sequence[Entry]) -> list[Entry]:
    return [entry for entry in entries if entry.implementation == implementation.key]


def _shown_first(shown: Sequence[Implementation], entries: Sequence[Entry]) -> list[str]:
    """Which implementations the stone shows at first: of two languages the one that ranks best, else any two."""
    ranked = sorted((entry for entry in entries if entry["rank"]), key=lambda entry: int(entry["rank"]))
    order = [*(entry.implementation for entry in ranked), *(one.key for one in shown)]
    languages = {one.key: one.language for one in shown}
    best: dict[str, str] = {}
    for key in order:
        if key in languages:
            best.setdefault(languages[key], key)
    return list(dict.fromkeys([*best.values(), *order]))[:2]


def _facts(entries: Sequence[Entry]) -> Markup:
    """What the page's filters know of each row, by its number: language, framework, model, device."""
    facts = [[entry.row.language, entry.title, entry.row.model, entry["device"]] for entry in entries]
    # A closing tag within a string would end the script.
    return Markup(json.dumps(facts, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"))
