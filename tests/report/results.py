"""Made-up results folders, written by the table's own functions."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rosetta.languages import Row
from rosetta.plan import run_file
from rosetta.table import RUN_COLUMNS, TABLE_COLUMNS, Line, _csv, _ordered, _ranked

MACHINE = {"processor": "Example 9000", "cores": 8, "memory_bytes": 32 * 2**30, "system": "Linux-6.1"}
PHASES = {"start_s": 0.05, "import_s": 1.25, "load_s": 0.004, "build_s": 0.2, "first_step_s": 0.5, "predict_s": 0.75}
DATA = {
    "cnn": ("generated-images", "generated images"),
    "resnet50": ("photos", "64 photographs"),
    "gru": ("imdb", "IMDB reviews"),
}
CONFIG = {
    "data_dir": None,
    "download": True,
    "seed": 2018,
    "only": {},
    "runs": 1,
    "device": "auto",
    "precision": "float32",
    "compile": False,
    "evaluate": False,
    "threads": "auto",
    "models": {
        "cnn": {"epochs": 2, "train_examples": 1280, "test_examples": 1024},
        "resnet50": {"photos": 64},
        "gru": {"epochs": 2, "train_examples": 1280, "test_examples": 1024},
    },
    "limits": None,
    "retry": "none",
}


def line(name: str, rate: float | None = None, spread: float = 0, **values: Any) -> Line:
    """A line of the table, LANGUAGE/FRAMEWORK/MODEL/BRIDGE: verified if it has a rate, its median within +- spread."""
    row = Row(*name.split("/"))
    known: dict[str, Any] = {
        "status": "ok" if rate else "unavailable",
        "device": "cpu",
        "precision": "float32",
        "data": DATA[row.model][0],
        "runs": 3 if spread else 1 if rate else 0,
        "warnings": [],
    }
    if rate:
        known |= {
            "verified": "yes",
            "verdict": "agrees with the reference",
            "distance": 1e-6,
            "tolerance": 2e-5,
            "samples_per_s": rate,
            "threads": 8,
            "epochs": 2,
            "test_examples": 1024,
            "processor": MACHINE["processor"],
            "versions": f"{row.language} 3; {row.framework} 1.5",
            "peak_rss_bytes": 700_000_000 + rate,
            "wall_s": 10.5,
            "cpu_s": 12.25,
            **PHASES,
        }
        if row.model == "resnet50":
            known |= {"feature_mean": 0.46, "feature_deviation": 0.2}
        else:
            known |= {"epoch_s": 1280 / rate, "accuracy": 0.765, "last_loss": 0.625}
        if spread:
            known |= {"samples_per_s_low": rate - spread, "samples_per_s_high": rate + spread, "confidence": 0.75}
    return Line(row, {**known, **values})


def predicting(name: str) -> Line:
    """A line of a framework that only predicts, in 0.5 s."""
    trained = line(name, 1.0, predict_s=0.5)
    gone = ("samples_per_s", "epoch_s", "accuracy", "last_loss")
    return Line(trained.row, {column: value for column, value in trained.values.items() if column not in gone})


def write(folder: Path, lines: Sequence[Line], steps: int = 40, **config: Any) -> Path:
    """Write table.csv, runs.csv, settings.json and a run file for each row; the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "table.csv").write_text(_csv(TABLE_COLUMNS, _ordered(_ranked(lines))))
    ran = [one for one in lines if one.row.bridge]
    runs = [
        Line(one.row, {**one.values, "run": 1, "started_at": f"2026-11-30T10:{n % 60:02}"}) for n, one in enumerate(ran)
    ]
    (folder / "runs.csv").write_text(_csv(RUN_COLUMNS, runs))
    (folder / "settings.json").write_text(json.dumps({"config": {**CONFIG, **config}}))
    for one in ran:
        path = folder / Path(run_file(one.row, 1)).relative_to("results")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(_run_file(one, steps)))
    return folder


def _run_file(one: Line, steps: int) -> dict[str, Any]:
    name, title = DATA[one.row.model]
    losses = [2.3 * math.exp(-step / steps) + 0.1 * math.sin(step) for step in range(2 * steps)]
    return {
        "row": vars(one.row),
        "data": {"dataset": name, "title": title, "sha256": "ab12" * 16, "weights": "seeded (Glorot)"},
        "machine": MACHINE,
        "record": {"losses": {"first_step": 2.3, "epochs": [losses[:steps], losses[steps:]]}}
        if "last_loss" in one.values
        else None,
    }


def mixed() -> list[Line]:
    """Rows of every state, ties, two devices, a logarithmic chart, bridges, a hostile reason."""
    return [
        line("python/pytorch/gru/native", 800.0, 30.0),
        line("python/tensorflow/gru/native", 760.0, 20.0),
        line("julia/base/gru/native", 700.0, 5.0),
        line("julia/base/gru/juliacall", 690.0, 4.0, import_s=4.25, peak_rss_bytes=900_000_000),
        line(
            "python/keras-torch/gru/native", 90.5, 1.0, warnings=["noisy run: the runs differ by 20% (close programs)"]
        ),
        line(
            "python/keras-tensorflow/gru/native", 850.0, verified="deviates", verdict="squares too early", distance=1.8
        ),
        line("python/jax/gru/native", 900.0, verified="no", verdict="the losses differ", distance=0.5),
        predicting("python/onnxruntime/gru/native"),
        line(
            "python/keras-jax/gru/native", status="failed", reason="<script>alert('no')</script> & killed: raise limits"
        ),
        line("python/cntk/gru/", reason="published in 2018", published_label="CNTK"),
        line("python/pytorch/cnn/native", 5000.0, device="cuda", device_name="NVIDIA H200"),
        line("python/tensorflow/cnn/native", 350.0),
        line("python/jax/cnn/native", 5.47),
        line("python/keras-torch/cnn/native", reason="no GPU here. Install one: make setup"),
        line("python/keras-jax/cnn/native", reason="no GPU here. Install one: make setup"),
        line("python/onnxruntime/resnet50/native", 25.0),
    ]
