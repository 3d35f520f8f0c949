"""Discovery: what each language's folder declares in its language.yaml. Nothing else is known of any language."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rosetta.errors import RosettaError
from rosetta.schemas import validate


@dataclass(frozen=True)
class Framework:
    """A framework as language.yaml declares it; the schema describes each attribute."""

    name: str
    title: str
    folder: Path
    packages: tuple[str, ...]
    install: str
    conda: str | None
    interpreter: tuple[str, ...]
    version: str
    environment: dict[str, str]
    bridges: tuple[str, ...]
    devices: tuple[str, ...]
    precision: tuple[str, ...]
    compile: bool | str
    adam: str
    models: tuple[str, ...]
    trains: bool
    deviations: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Language:
    """A language's folder and what its language.yaml declares."""

    name: str
    title: str
    folder: Path
    suffix: str
    install: str
    probe: tuple[str, ...]
    harness: tuple[str, ...]
    bridges: dict[str, tuple[str, ...]]
    frameworks: dict[str, Framework]

    def source(self, framework: Framework, model: str) -> Path:
        """The implementation's file."""
        return framework.folder / f"{model}{self.suffix}"

    def shared_sources(self, framework: Framework) -> list[Path]:
        """The files that all of a framework's rows depend on: the harness, and the framework's own."""
        harness = [path for pattern in self.harness for path in sorted(self.folder.glob(pattern))]
        own = framework.folder / f"framework{self.suffix}"
        return [*harness, *([own] if own.exists() else [])]


@dataclass(frozen=True, order=True)
class Row:
    """What a line of the table stands for."""

    language: str
    framework: str
    model: str
    bridge: str

    def __str__(self) -> str:
        return f"{self.language}/{self.framework}/{self.model}/{self.bridge}"


def discover(root: Path) -> dict[str, Language]:
    """All languages of the project folder, by name.

    Raises:
        RosettaError: a language.yaml is broken, names a file that is not there, or two folders claim one name.
    """
    languages: dict[str, Language] = {}
    for path in sorted(root.glob("*/language.yaml")):
        language = _read(path)
        if language.name in languages:
            raise RosettaError(
                f"{path}: the language {language.name} is declared in {languages[language.name].folder} too"
            )
        languages[language.name] = language
    if not languages:
        raise RosettaError(f"No language is declared: there is no */language.yaml in {root}")
    return languages


def rows(languages: dict[str, Language], only: dict[str, list[str]]) -> list[Row]:
    """All rows, or those that `only` asks for (keys languages, frameworks, models, bridges).

    Raises:
        RosettaError: `only` names something that is not there, or leaves no row.
    """
    every = [
        Row(language.name, framework.name, model, bridge)
        for language in languages.values()
        for framework in language.frameworks.values()
        for model in framework.models
        for bridge in framework.bridges
    ]
    for kind, wanted in only.items():
        known = sorted({getattr(row, kind.removesuffix("s")) for row in every})
        for name in wanted:
            if name not in known:
                raise RosettaError(f"config: only.{kind}: {name!r} is not there; choose from {', '.join(known)}")
    chosen = [
        row
        for row in every
        if all(getattr(row, kind.removesuffix("s")) in wanted for kind, wanted in only.items() if wanted)
    ]
    if not chosen:
        raise RosettaError(f"config: only: no row fits {only}")
    return chosen


def _read(path: Path) -> Language:
    try:
        declared = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RosettaError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    except OSError as error:
        raise RosettaError(f"{path} cannot be read: {error}") from None
    validate("language", declared, str(path))
    folder = path.parent
    language = Language(
        name=declared["language"],
        title=declared["title"],
        folder=folder,
        suffix=declared["suffix"],
        install=declared["install"],
        probe=tuple(declared["probe"]),
        harness=tuple(declared["harness"]),
        bridges={name: tuple(command) for name, command in declared["bridges"].items()},
        frameworks={
            name: _framework(name, framework, declared, folder) for name, framework in declared["frameworks"].items()
        },
    )
    for pattern in language.harness:
        if not any(folder.glob(pattern)):
            raise RosettaError(
                f"{path}: harness: no file fits {pattern!r}. Correct it: a change of those files re-runs rows."
            )
    for framework in language.frameworks.values():
        for bridge in framework.bridges:
            if bridge not in language.bridges:
                there = ", ".join(language.bridges)
                raise RosettaError(f"{path}: {framework.name}: no bridge {bridge!r} is there; choose from {there}")
        for model in framework.models:
            source = language.source(framework, model)
            if not source.is_file():
                raise RosettaError(
                    f"{path}: {framework.name} lists the model {model}, but {source} is not there. "
                    f"Write it, or take {model} off the list."
                )
    return language


def _framework(name: str, declared: dict[str, Any], language: dict[str, Any], folder: Path) -> Framework:
    return Framework(
        name=name,
        title=declared["title"],
        folder=folder / declared.get("folder", name),
        packages=tuple(declared["packages"]),
        install=declared["install"],
        conda=declared.get("conda"),
        interpreter=tuple(declared.get("interpreter", language["interpreter"])),
        version=declared.get("version", ""),
        environment={**language.get("environment", {}), **declared.get("environment", {})},
        bridges=tuple(declared.get("bridges", language["bridges"])),
        devices=tuple(declared.get("devices", ["cpu"])),
        precision=tuple(declared.get("precision", ["float32"])),
        compile=declared.get("compile", False),
        adam=declared.get("adam", "bias_corrected"),
        models=tuple(declared["models"]),
        trains=declared.get("trains", True),
        deviations=declared.get("deviations", {}),
    )
