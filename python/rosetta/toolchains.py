"""What is installed: each framework's interpreter and the versions of its packages."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
    """

    interpreter: str | None
    version: str
    packages: Mapping[str, str | None]
    problem: str


def find(language: Language, framework: Framework) -> Toolchain:
    """Find a framework's interpreter and packages, by the language's own probe."""
    return find_all(language, [framework])[framework.name]


def find_all(language: Language, frameworks: list[Framework]) -> dict[str, Toolchain]:
    """As `find`, for many frameworks: one probe for each interpreter."""
    found: dict[str, Toolchain] = {}
    groups: dict[tuple[str, ...], list[Framework]] = {}
    for framework in frameworks:
        groups.setdefault(framework.interpreter, []).append(framework)
    for candidates, members in groups.items():
        interpreter = _first(candidates, language.folder)
        if interpreter is None:
            missing = Toolchain(None, "", {}, f"{language.title} was not found (looked for {', '.join(candidates)})")
            found |= {member.name: missing for member in members}
        else:
            packages = sorted({package for member in members for package in member.packages})
            version, versions, problem = _probe(language, interpreter, packages)
            for member in members:
                own = {package: versions.get(package) for package in member.packages}
                absent = [package for package, known in own.items() if known is None]
                lacks = problem or (f"not installed: {', '.join(absent)}" if absent else "")
                found[member.name] = Toolchain(interpreter, version, own, lacks)
    return found


def expand(command: tuple[str, ...], interpreter: str, folder: Path) -> list[str]:
    """Fill the placeholders of a command in language.yaml: {interpreter}, {folder} and {python}, the runner's own."""
    values = {"interpreter": interpreter, "folder": str(folder.resolve()), "python": sys.executable}
    return [part.format_map(values) for part in command]


def _first(candidates: tuple[str, ...], folder: Path) -> str | None:
    for candidate in candidates:
        name = os.path.expandvars(candidate.format_map({"python": sys.executable, "folder": str(folder.resolve())}))
        local = folder.resolve().parent / name
        found = shutil.which(name) or (str(local) if "/" in name and os.access(local, os.X_OK) else None)
        if found:
            return str(Path(found).absolute())
    return None


def _probe(language: Language, interpreter: str, packages: list[str]) -> tuple[str, dict[str, str | None], str]:
    command = [*expand(language.probe, interpreter, language.folder), *packages]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_LIMIT_S, check=True)
        answer = json.loads(done.stdout)
        return answer["version"], answer["packages"], ""
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["no message"])[-1]
        return "", {}, f"{interpreter} does not work: {last}"
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError) as error:
        return "", {}, f"{interpreter} does not answer ({type(error).__name__}: {error})"
