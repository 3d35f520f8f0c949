"""What does rpy2 cost against Rscript, and R against Python, with Keras on TensorFlow?

    .venv/bin/python benchmarks/r_bridge.py [--threads N] [--starts N] [--turns N] [cnn|gru|resnet50]...

Python's row, R's row by Rscript and R's row by rpy2 take turns, each in a process of its own, on equal batches. First
come the seconds of starting and importing (medians), then the ratios of wall and of CPU time of a turn: medians, with
the ratios of the shortest turns behind them. Beside other load the CPU times are the steadier ones.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from rosetta import toolchains  # noqa: E402 (the path comes first)
from rosetta.languages import discover  # noqa: E402
from rosetta.models import MODELS  # noqa: E402

from julia_base import write_job  # noqa: E402 isort: skip

WORKER = Path(__file__).with_suffix(".R")
COMPARED = (("native", "python"), ("rpy2", "python"), ("rpy2", "native"))


def take_turns_in_python() -> None:
    """Python's side, as r_bridge.R is R's."""
    first_line_ns = time.time_ns()
    from harness.implementation import Implementation
    from harness.job import options
    from harness.tensors import map_tensors

    job: dict[str, Any] = json.loads(Path(os.environ["ROSETTA_JOB"]).read_text())
    settings = options(job, job["hyperparameters"])
    sys.path[:] = [entry for entry in sys.path if Path(entry) != ROOT / "python"]
    implementation = Implementation(ROOT / "python" / "keras" / Path(job["source"]).with_suffix(".py").name)
    implementation.framework.configure(settings)
    start_s = (first_line_ns - int(os.environ["ROSETTA_SPAWNED_UNIX_NS"])) / 1e9
    print(start_s, (time.time_ns() - first_line_ns) / 1e9, flush=True)
    model = None
    while sys.stdin.readline().strip():
        if model is None:
            weights, tensors = (implementation.load(map_tensors(job[kind])) for kind in ("weights", "tensors"))
            model = implementation.build(settings, weights)
        wall, cpu = time.perf_counter(), time.process_time()
        if job["epochs"] == 0:
            implementation.predict(model, tensors["test_inputs"])
        else:
            implementation.train(model, tensors["train_inputs"], tensors["train_labels"], tensors["batches"][0])
        print(time.perf_counter() - wall, time.process_time() - cpu, flush=True)


def take_turns_by_rpy2(rscript: str) -> None:
    """The same R file as Rscript runs, inside this process."""
    sys.path.insert(0, str(ROOT / "r" / "bridge"))
    import bridge

    code = f"tryCatch({{ source({json.dumps(str(WORKER))}); 0L }}, error = function(e) {{ print(e); 1L }})"
    bridge.leave(bridge.Embedded(bridge.ask(rscript)).evaluate(code))


class Worker:
    """A process that takes turns."""

    def __init__(self, command: list[str], job: Path, threads: int) -> None:
        settings = {
            **os.environ,
            "KERAS_BACKEND": "tensorflow",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "OMP_NUM_THREADS": str(threads),
            "ROSETTA_JOB": str(job),
            "ROSETTA_SPAWNED_UNIX_NS": str(time.time_ns()),
        }
        self.process = subprocess.Popen(
            command,
            env=settings,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            bufsize=1,
        )
        self.start_s, self.import_s = self.told()

    def told(self) -> tuple[float, float]:
        """The two numbers of the next line."""
        assert self.process.stdout is not None
        first, second = self.process.stdout.readline().split()
        return float(first), float(second)

    def turn(self) -> tuple[float, float]:
        """Wall and CPU seconds of a turn."""
        assert self.process.stdin is not None
        print("go", file=self.process.stdin, flush=True)
        return self.told()

    def end(self) -> None:
        self.process.communicate("\n")


def compare(model: str, options: argparse.Namespace, commands: dict[str, list[str]], folder: Path) -> None:
    """Let the three take turns and print the ratios."""
    path = write_job(model, options.threads, folder)
    job = json.loads(path.read_text())
    path.write_text(json.dumps(job | {"source": str(ROOT / "r" / "keras" / f"{model}.R")}))
    begun: dict[str, list[Worker]] = {who: [] for who in commands}
    for _ in range(options.starts):
        for who, command in commands.items():
            begun[who].append(Worker(command, path, options.threads))
            if len(begun[who]) < options.starts:
                begun[who][-1].end()
    for who, workers in begun.items():
        start_s, import_s = (
            statistics.median(getattr(each, name) for each in workers) for name in ("start_s", "import_s")
        )
        print(f"{model:9} {who:6} start {start_s:.2f} s, import {import_s:.2f} s", flush=True)
    seconds: dict[str, list[tuple[float, float]]] = {who: [] for who in commands}
    for turn in range(options.turns + 1):
        for who, workers in begun.items():
            told = workers[-1].turn()
            if turn > 0:  # the first compiles
                seconds[who].append(told)
    for workers in begun.values():
        workers[-1].end()
    for clock, kind in enumerate(("wall", "CPU")):
        times = {who: [pair[clock] for pair in of_one] for who, of_one in seconds.items()}
        for who, base in COMPARED:
            median = statistics.median(mine / theirs for mine, theirs in zip(times[who], times[base], strict=True))
            least = min(times[who]) / min(times[base])
            print(f"{model:9} {kind:4} {who} / {base}: median {median:.3f}, shortest {least:.3f}", flush=True)


def main() -> None:
    """Compare the models named on the command line, or all."""
    if sys.argv[1:] == ["--python"]:
        return take_turns_in_python()
    if sys.argv[1:2] == ["--rpy2"]:
        return take_turns_by_rpy2(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="cnn|gru|resnet50", choices=[*MODELS, []])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--starts", type=int, default=3, help="processes of each, of which the last takes turns")
    parser.add_argument("--turns", type=int, default=9)
    options = parser.parse_args()
    language = discover(ROOT)["r"]
    rscript = toolchains.find(language, language.frameworks["keras-tensorflow"]).interpreter
    if rscript is None:
        sys.exit("R is not installed. Install it: envs/r.sh")
    commands = {
        "python": [sys.executable, __file__, "--python"],
        "native": ["sh", str(ROOT / "r/exec/rscript.sh"), rscript, sys.executable, str(WORKER)],
        "rpy2": [sys.executable, __file__, "--rpy2", rscript],
    }
    for model in options.models or list(MODELS):
        with tempfile.TemporaryDirectory() as folder:
            compare(model, options, commands, Path(folder))
    return None


if __name__ == "__main__":
    main()
