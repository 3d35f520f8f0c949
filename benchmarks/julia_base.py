"""Is plain Julia as fast as PyTorch, and what does juliacall cost?

    .venv/bin/python benchmarks/julia_base.py [THREADS] [cnn|gru|resnet50]...

PyTorch's row, Julia's row by `julia` and Julia's row by juliacall take turns, each in a process of its own, on the
same batches; several times with new processes, since two of a kind differ by some percent, too. Printed are the
ratios of wall and of CPU time to PyTorch's: medians, with the ratios of the shortest turns behind them. Beside other
load the CPU times are the steadier ones; with several threads they hold PyTorch's waiting.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "julia" / "bridge")]

from rosetta import toolchains  # noqa: E402 (the path comes first)
from rosetta.languages import discover  # noqa: E402
from rosetta.models import MODELS  # noqa: E402
from rosetta.tensors import write_tensors  # noqa: E402
from rosetta.weights import draw  # noqa: E402

from turns import data  # noqa: E402 isort: skip

STARTS = 5  # of new processes
TURNS = 5
STEPS = {"cnn": 4, "gru": 30, "resnet50": 1}
WORKER = Path(__file__).with_suffix(".jl")


def write_job(model: str, threads: int, folder: Path) -> Path:
    """Write what a turn works on: some batches of numbers without meaning."""
    own = MODELS[model]
    inputs, labels, batches = data(model, STEPS[model]).values()
    tensors = {"test_inputs": inputs, "train_inputs": inputs, "train_labels": labels, "batches": batches[np.newaxis]}
    written = {
        "tensors": write_tensors(folder / "data.arrow", tensors, {}),
        "weights": write_tensors(folder / "weights.arrow", draw(model, seed=1), {}),
    }
    job = {
        "contract": 1,
        "source": str(ROOT / "julia" / "base" / f"{model}.jl"),
        "device": "cpu",
        "precision": "float32",
        "compile": False,
        "threads": threads,
        "seed": 1,
        "epochs": int(own.trains),
        "hyperparameters": own.hyperparameters,
        **{kind: {name: tensor.as_json() for name, tensor in found.items()} for kind, found in written.items()},
    }
    path = folder / "job.json"
    path.write_text(json.dumps(job))
    return path


def take_turns_with_pytorch(path: Path) -> None:
    """PyTorch's side, as julia_base.jl is Julia's."""
    from harness.implementation import Implementation
    from harness.job import options
    from harness.tensors import map_tensors

    job: dict[str, Any] = json.loads(path.read_text())
    settings = options(job, job["hyperparameters"])
    implementation = Implementation(ROOT / "python" / "pytorch" / Path(job["source"]).with_suffix(".py").name)
    implementation.framework.configure(settings)
    weights, tensors = (implementation.load(map_tensors(job[kind])) for kind in ("weights", "tensors"))
    model = implementation.build(settings, weights)
    while sys.stdin.readline().strip():
        wall, cpu = time.perf_counter(), time.process_time()
        if job["epochs"] == 0:
            implementation.predict(model, tensors["test_inputs"])
        else:
            implementation.train(model, tensors["train_inputs"], tensors["train_labels"], tensors["batches"][0])
        print(time.perf_counter() - wall, time.process_time() - cpu, flush=True)


def take_turns_by_juliacall(executable: str) -> None:
    """The same Julia file as `julia` runs, inside this process."""
    import bridge

    bridge.load(bridge.ask(executable)).Main.include(str(WORKER))


def compare(model: str, threads: int, julia: str, folder: Path) -> None:
    """Let the three take turns and print the ratios."""
    job = write_job(model, threads, folder)
    settings = {
        **os.environ,
        "ROSETTA_JOB": str(job),
        "JULIA_NUM_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
    }
    commands = {
        "pytorch": [sys.executable, __file__, "--pytorch"],
        "native": [julia, "--startup-file=no", str(WORKER)],
        "juliacall": [sys.executable, __file__, "--juliacall", julia],
    }
    seconds: dict[str, list[list[float]]] = {who: [] for who in commands}
    for _ in range(STARTS):
        take_turns(commands, settings, seconds)
    for clock, kind in enumerate(("wall", "CPU")):
        times = {who: [pair[clock] for pair in of_one] for who, of_one in seconds.items()}
        for who, base in (("native", "pytorch"), ("juliacall", "native")):
            median = statistics.median(mine / theirs for mine, theirs in zip(times[who], times[base], strict=True))
            least = min(times[who]) / min(times[base])
            print(f"{model:9} {kind:4} {who} / {base}: median {median:.3f}, shortest {least:.3f}", flush=True)


def take_turns(commands: dict[str, list[str]], settings: dict[str, str], seconds: dict[str, list[list[float]]]) -> None:
    """Start the three, let them take turns and append the wall and CPU seconds of each turn."""
    workers = {
        who: subprocess.Popen(
            command, env=settings, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        for who, command in commands.items()
    }
    for turn in range(TURNS + 1):
        for who, worker in workers.items():
            assert worker.stdin is not None
            assert worker.stdout is not None
            print("go", file=worker.stdin, flush=True)
            told = worker.stdout.readline()
            if turn > 0:  # the first compiles
                seconds[who].append([float(word) for word in told.split()])
    for worker in workers.values():
        worker.communicate("\n")


def main() -> None:
    """Compare the models named on the command line, or all."""
    if sys.argv[1:] == ["--pytorch"]:
        return take_turns_with_pytorch(Path(os.environ["ROSETTA_JOB"]))
    if sys.argv[1:2] == ["--juliacall"]:
        return take_turns_by_juliacall(sys.argv[2])
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    language = discover(ROOT)["julia"]
    julia = toolchains.find(language, language.frameworks["base"]).interpreter
    if julia is None:
        sys.exit("Julia is not installed. Install it: envs/julia.sh")
    for model in sys.argv[2:] or list(MODELS):
        with tempfile.TemporaryDirectory() as folder:
            compare(model, threads, julia, Path(folder))
    return None


if __name__ == "__main__":
    main()
