"""What the report costs: seconds of processor time and megabytes, for 20 and for 500 rows.

.venv/bin/python benchmarks/report.py
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.report.results import line, write

ROOT = Path(__file__).resolve().parents[1]
FRAMEWORKS = ("pytorch", "tensorflow", "keras-torch", "jax")
STEPS = 781  # of an epoch in the setting of 2018


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for rows in (20, 500):
            results = Path(folder) / str(rows)
            models = [("cnn", "gru", "resnet50")[number % 3] for number in range(rows)]
            names = [f"python/{FRAMEWORKS[n % 4]}/{model}/bridge-{n}" for n, model in enumerate(models)]
            write(results, [line(name, 100.0 + n, 3.0) for n, name in enumerate(names)], STEPS)
            files = [results / name for name in ("table.csv", "runs.csv", "settings.json", "report.html")]
            before = cpu_s()
            subprocess.run([sys.executable, ROOT / "python/rosetta", "report", *files], cwd=ROOT, check=True)
            size = files[-1].stat().st_size / 1e6
            print(f"{rows} rows: {cpu_s() - before:.1f} s of processor time, {size:.2f} MB")


if __name__ == "__main__":
    main()
