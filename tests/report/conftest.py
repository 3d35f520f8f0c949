"""Pages of made-up results."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from rosetta.report import write_report

from .results import mixed, write

ROOT = Path(__file__).resolve().parents[2]


def make_page(folder: Path) -> Path:
    """The page of a results folder, beside its tables."""
    page = folder / "report.html"
    write_report(ROOT, folder / "table.csv", folder / "runs.csv", folder / "settings.json", page)
    return page


@pytest.fixture(scope="session")
def mixed_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of rows of every state. Not to be changed."""
    return make_page(write(tmp_path_factory.mktemp("mixed"), mixed()))


@pytest.fixture(scope="session")
def soup(mixed_page: Path) -> BeautifulSoup:
    """The mixed page, parsed."""
    return BeautifulSoup(mixed_page.read_text(), "html.parser")
