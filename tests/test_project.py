"""What the project says of itself is true: versions, links, columns, keys."""

import re
from pathlib import Path

import pytest
import yaml
from rosetta.schemas import schema
from rosetta.table import RUN_COLUMNS, TABLE_COLUMNS

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENTS = ("python.yaml", "r.yaml", "runner.yaml")
# What pip does not install.
OTHERS = re.compile(r"python|pip|rpy2|r-.*")
# The same package under conda's name.
CONDA_NAMES = {
    "torch": "pytorch",
    "fastjsonschema": "python-fastjsonschema",
    "matplotlib": "matplotlib-base",
}
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def pip_versions() -> dict[str, str]:
    """Package, by conda's name -> what the lists for pip say of its version."""
    lines = [
        line.partition("#")[0].strip()
        for name in ("runner.txt", "python.txt", "data.txt")
        for line in (ROOT / "envs" / name).read_text().splitlines()
    ]
    found = [re.fullmatch(r"([A-Za-z0-9_-]+)(.*)", line) for line in lines if line]
    named = {match[1].lower(): match[2].replace(" ", "") for match in found if match}
    return {CONDA_NAMES.get(name, name): version for name, version in named.items()}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_conda_environments_hold_the_versions_of_pip(name: str) -> None:
    environment = yaml.safe_load((ROOT / "envs" / name).read_text())
    pip = pip_versions()
    items = [item for item in environment["dependencies"] if isinstance(item, str)]
    items += [nested for item in environment["dependencies"] if isinstance(item, dict) for nested in item["pip"]]
    compared = 0
    for item in items:
        package, _, version = item.partition(" ")
        if not OTHERS.fullmatch(package):
            assert pip[package.lower()] == version.replace(" ", ""), item
            compared += 1
    assert compared >= 5


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_every_column_is_documented() -> None:
    documented = set(re.findall(r"`([a-z0-9_]+)`", (ROOT / "docs/table.md").read_text()))
    for column in {*TABLE_COLUMNS, *RUN_COLUMNS}:
        assert re.sub(r"_(low|high)$", "", column) in documented, column


def test_every_key_of_language_yaml_is_documented() -> None:
    text = (ROOT / "docs/adding.md").read_text()
    declared = schema("language")
    for key in {*declared["properties"], *declared["$defs"]["framework"]["properties"]}:
        assert f"`{key}`" in text or f"{key}:" in text, key


def test_every_key_of_job_and_record_is_documented() -> None:
    text = (ROOT / "docs/contract.md").read_text()
    answer = schema("record")["$defs"]["answer"]["properties"]
    for key in {*schema("job")["properties"], *answer["phases"]["properties"], *answer["check"]["properties"]}:
        assert f"`{key}`" in text, key
