"""The set-up: done once, and quick to see that it is."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def make(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**{name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}, **variables}
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_make_alone_lists_the_commands() -> None:
    done = make()
    assert done.returncode == 0
    for command in ("setup", "table", "report", "compare", "test", "lint", "check", "doctor"):
        assert f"make {command} " in done.stdout


def test_a_finished_setup_has_nothing_to_do() -> None:
    if not (ROOT / ".venv/stamps/dev").exists():
        pytest.skip("this environment was not made by `make setup`")
    assert make("--question", "setup-dev").returncode == 0


def test_a_python_that_is_too_old_is_named(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = subprocess.run(
        [str(ROOT / "envs/python.sh"), str(old)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert f"no Python 3.11 to 3.13 was found (tried {old})" in done.stderr
    assert "make PYTHON=" in done.stderr
