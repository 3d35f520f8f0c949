"""The stone: each implementation's files, cut at their section markers and highlighted, to be laid side by side."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pygments import highlight
from pygments.filter import Filter
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, String, Text
from pygments.util import ClassNotFound

from rosetta.languages import Framework, Language

SECTIONS = ("imports", "model", "build", "training", "prediction")
MARKER = re.compile(r"^\s*#+ --- (\w+) ---\s*$", re.MULTILINE)
# What is coloured; the rest is plain text, which keeps the page small.
SHOWN = (Keyword, Name.Builtin, Name.Function, Name.Class, Name.Decorator, String, Number, Comment)


@dataclass(frozen=True)
class Implementation:
    """A folder of files: one framework's, or that of several that share it.

    Attributes:
        key: the folder, relative to the project: `python/keras`.
        title: for people.
        frameworks: whose rows these files make.
        files: by model, and `framework` for what all models share: the path, relative to the project.
        sections: by the same names, each section's code as HTML; in a model's file by section, else "all" alone.
    """

    key: str
    language: str
    language_title: str
    title: str
    frameworks: tuple[str, ...]
    files: Mapping[str, str]
    sections: Mapping[str, Mapping[str, str]]


def implementations(root: Path, languages: Mapping[str, Language]) -> list[Implementation]:
    """All of them, by language and name."""
    found = []
    for language in languages.values():
        folders: dict[Path, list[Framework]] = {}
        for framework in language.frameworks.values():
            folders.setdefault(framework.folder, []).append(framework)
        found += [_implementation(root, language, folder, members) for folder, members in folders.items()]
    return found


def _implementation(root: Path, language: Language, folder: Path, frameworks: list[Framework]) -> Implementation:
    models = {model: framework for framework in frameworks for model in framework.models}
    paths = {model: language.source(framework, model) for model, framework in models.items()}
    shared = folder / f"framework{language.suffix}"
    lexer = _lexer(shared.name)
    sections = {model: cut(path.read_text(encoding="utf-8"), lexer) for model, path in paths.items()}
    if shared.exists():
        paths["framework"] = shared
        sections["framework"] = {"all": _highlighted(shared.read_text(encoding="utf-8"), lexer)}
    return Implementation(
        key=str(folder.relative_to(root)),
        language=language.name,
        language_title=language.title,
        title=joined([framework.title for framework in frameworks]),
        frameworks=tuple(framework.name for framework in frameworks),
        files={name: str(path.relative_to(root)) for name, path in paths.items()},
        sections=sections,
    )


def cut(source: str, lexer: Lexer) -> dict[str, str]:
    """The sections of an implementation's file as HTML; what stands before the first marker is `imports`."""
    parts = MARKER.split(source)
    named = dict(zip(["imports", *parts[1::2]], parts[::2], strict=True))
    return {name: _highlighted(code, lexer) for name, code in named.items() if code.strip()}


def joined(titles: list[str]) -> str:
    """Several titles in one, what they begin with alike said once: Keras on TensorFlow, PyTorch, JAX."""
    words = [title.split() for title in titles]
    alike = 0
    while len(words) > 1 and len({tuple(one[: alike + 1]) for one in words}) == 1:
        alike += 1
    return " ".join([*words[0][:alike], ", ".join(" ".join(one[alike:]) for one in words)]).strip()


class Plain(Filter):
    """Turns tokens that are not coloured into plain text."""

    def filter(self, lexer, stream):  # type: ignore[no-untyped-def]
        for kind, value in stream:
            yield next((shown for shown in SHOWN if kind in shown), Text), value


def _lexer(name: str) -> Lexer:
    try:
        lexer = get_lexer_for_filename(name, stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    lexer.add_filter(Plain())
    return lexer


def _highlighted(code: str, lexer: Lexer) -> str:
    return highlight(code.strip("\n"), lexer, HtmlFormatter(nowrap=True)).rstrip("\n")
