"""What is installed: each framework's interpreter and the versions of its packages."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.specifiers import SpecifierSet

from rosetta.languages import Framework, Language

PROBE_LIMIT_S = 60


@dataclass(frozen=True)
class Toolchain:
    """What was found for a framework.

    Attributes:
        interpreter: absolute path, or None where none of the candidates exists.
        version: the language's version, "" if unknown.
        packages: version of each package asked for, None where it is missing.
        problem: what is wrong, in words; "" where all is there.
        notes: what else the probe has to say of the interpreter.
        passed_over: what is wrong with each candidate before it.
    """

    interpreter: str | None
    version: str
    packages: Mapping[str, str | None]
    problem: str
    notes: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()


def find(language: Language, framework: Framework) -> Toolchain:
    """Find a framework's interpreter and packages, by the language's own probe."""
    return find_all(language, [framework])[framework.name]


def find_all(language: Language, frameworks: list[Framework]) -> dict[str, Toolchain]:
    """As `find`, for many frameworks: one probe for each interpreter, of its candidates the first that works."""
    found: dict[str, Toolchain] = {}
    groups: dict[tuple[tuple[str, ...], str], list[Framework]] = {}
    for framework in frameworks:
        groups.setdefault((framework.interpreter, framework.version), []).append(framework)
    for (candidates, wanted), members in groups.items():
        interpreters = _existing(candidates, language.folder)
        if not interpreters:
            missing = Toolchain(None, "", {}, f"{language.title} was not found (looked for {', '.join(candidates)})")
            found |= {member.name: missing for member in members}
        else:
            packages = sorted({package for member in members for package in member.packages})
            common = _first_that_works(language, interpreters, packages, wanted)
            for member in members:
                own = {package: common.packages.get(package) for package in member.packages}
                absent = [package for package, known in own.items() if known is None]
                lacks = common.problem or (f"not installed: {', '.join(absent)}" if absent else "")
                found[member.name] = replace(common, packages=own, problem=lacks)
    return found


def expand(command: tuple[str, ...], interpreter: str, folder: Path) -> list[str]:
    """Fill the placeholders of a command in language.yaml: {interpreter}, {folder} and {python}, the runner's own."""
    values = {"interpreter": interpreter, "folder": str(folder.resolve()), "python": sys.executable}
    return [part.format_map(values) for part in command]


def _existing(candidates: tuple[str, ...], folder: Path) -> list[str]:
    existing = []
    for candidate in candidates:
        values = {"python": sys.executable, "folder": str(folder.resolve())}
        for name in _fitting(os.path.expandvars(candidate).format_map(values)):
            local = folder.resolve().parent / name
            found = shutil.which(name) or (str(local) if "/" in name and os.access(local, os.X_OK) else None)
            if found:
                existing.append(str(Path(found).absolute()))
    return existing


def _fitting(pattern: str) -> list[str]:
    """The paths that an absolute pattern with a * fits; anything else fits itself alone."""
    if not (pattern.startswith("/") and "*" in pattern):
        return [pattern]
    return sorted(str(path) for path in Path("/").glob(pattern[1:]))


def _first_that_works(language: Language, interpreters: list[str], packages: list[str], wanted: str) -> Toolchain:
    """The first interpreter without a problem, and why not those before it; if all have one, the first."""
    passed_over: list[Toolchain] = []
    for interpreter in interpreters:
        found = _probe(language, interpreter, packages, wanted)
        if not found.problem:
            return replace(found, passed_over=tuple(other.problem for other in passed_over))
        passed_over.append(found)
    return passed_over[0]


def _probe(language: Language, interpreter: str, packages: list[str], wanted: str) -> Toolchain:
    command = [*expand(language.probe, interpreter, language.folder), *packages]
    own = language.folder.resolve().parent
    shown = Path(interpreter).relative_to(own) if own in Path(interpreter).parents else interpreter
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_LIMIT_S, check=True)
        answer = json.loads(done.stdout)
        version = answer["version"]
        fits = SpecifierSet(wanted, prereleases=True).contains(version)
        problem = "" if fits else f"{shown} is {language.title} {version}, and {wanted} is needed"
        return Toolchain(interpreter, version, answer["packages"], problem, tuple(answer.get("notes", ())))
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["no message"])[-1]
        return Toolchain(interpreter, "", {}, f"{shown} does not work: {last}")
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
        return Toolchain(interpreter, "", {}, f"{shown} does not answer ({type(error).__name__}: {error})")
