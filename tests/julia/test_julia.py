"""Julia's own tests, and how it is found."""

import os
import subprocess
from pathlib import Path

from ..harness.jobs import ROOT


def test_julia_s_own_tests_pass(julia: str, tmp_path: Path) -> None:
    command = [julia, "--startup-file=no", str(ROOT / "julia" / "test" / "runtests.jl")]
    environment = {**os.environ, "JULIA_NUM_THREADS": "2", "JULIA_DEPOT_PATH": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.rglob("*.ji")) == []  # the harness leaves no compiled code behind
