"""What language.yaml declares becomes rows, or one clear message."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from rosetta.errors import RosettaError
from rosetta.languages import discover, rows

ROOT = Path(__file__).resolve().parents[1]


def declare(root: Path, **framework: Any) -> None:
    """Write a language of two bridges with one framework."""
    folder = root / "toy" / "one"
    folder.mkdir(parents=True)
    (folder / "gru.toy").touch()
    (root / "toy" / "main.toy").touch()
    declared = {
        "language": "toy",
        "title": "Toy",
        "suffix": ".toy",
        "interpreter": ["toy"],
        "install": "install-toy",
        "probe": ["toy"],
        "harness": ["main.toy"],
        "bridges": {"native": ["toy"], "bridge": ["toy", "--bridge"]},
        "frameworks": {"one": {"title": "One", "packages": [], "install": "", "models": ["gru"], **framework}},
    }
    (root / "toy" / "language.yaml").write_text(yaml.safe_dump(declared, sort_keys=False))


def test_a_framework_runs_by_all_bridges(tmp_path: Path) -> None:
    declare(tmp_path)
    assert [str(row) for row in rows(discover(tmp_path), {})] == ["toy/one/gru/native", "toy/one/gru/bridge"]


def test_a_framework_may_name_its_bridges(tmp_path: Path) -> None:
    declare(tmp_path, bridges=["bridge"])
    assert [str(row) for row in rows(discover(tmp_path), {})] == ["toy/one/gru/bridge"]


def test_a_bridge_that_the_language_does_not_have_is_named(tmp_path: Path) -> None:
    declare(tmp_path, bridges=["tunnel"])
    with pytest.raises(RosettaError, match="one: no bridge 'tunnel' is there; choose from native, bridge"):
        discover(tmp_path)


def test_every_framework_here_has_an_environment_for_conda() -> None:
    frameworks = [framework for language in discover(ROOT).values() for framework in language.frameworks.values()]
    assert len(frameworks) >= 10
    for framework in frameworks:
        assert framework.conda, framework.name
        assert (ROOT / framework.conda).exists(), framework.name
