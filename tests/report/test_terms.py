"""The table of terms: every code in it stands in the implementations."""

import re
from pathlib import Path

import pytest
from rosetta.errors import RosettaError
from rosetta.languages import discover
from rosetta.report.terms import Term, quoted, read_terms

ROOT = Path(__file__).resolve().parents[2]
TERMS = read_terms(ROOT)


def sources() -> dict[str, str]:
    """The code of each implementation, with what language.yaml says of it; white space made alike."""
    found = {}
    for language in discover(ROOT).values():
        declared = (language.folder / "language.yaml").read_text()
        for framework in language.frameworks.values():
            files = [path.read_text() for path in sorted(framework.folder.rglob(f"*{language.suffix}"))]
            found[str(framework.folder.relative_to(ROOT))] = alike("\n".join([*files, declared]))
    return found


def alike(code: str) -> str:
    return re.sub(r"\s+", " ", code)


SOURCES = sources()


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.name)
def test_every_code_stands_in_the_implementation(term: Term) -> None:
    for implementation, spelling in term.spellings.items():
        assert implementation in SOURCES, f"there is no {implementation}"
        for code in [*spelling.code, *quoted(spelling.note)]:
            assert alike(code) in SOURCES[implementation], f"{implementation}: {code}"
    for code in quoted(term.trap):
        assert any(alike(code) in source for source in SOURCES.values()), code


def test_an_implementation_in_the_table_is_in_every_term() -> None:
    named = {implementation for term in TERMS for implementation in term.spellings}
    assert named >= {"python/pytorch", "julia/base"}
    for term in TERMS:
        assert set(term.spellings) == named, term.name


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    with pytest.raises(RosettaError, match=r"terms\.yaml cannot be read"):
        read_terms(tmp_path)
    (tmp_path / "docs/terms.yaml").write_text("adam: {concept: Adam, trap: none, spelled: {python/one: {}}}")
    with pytest.raises(RosettaError, match=r"terms\.yaml: adam\.spelled\.python/one"):
        read_terms(tmp_path)
