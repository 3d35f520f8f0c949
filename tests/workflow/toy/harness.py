"""A harness of a toy language for the tests: what it does is the first word of the implementation's file."""

import json
import os
import signal
import sys
import time
from pathlib import Path

MEBIBYTE = 2**20


def answer(job: dict) -> dict:
    """A complete answer of the right shapes; it computes nothing."""
    examples = job["check"]["inputs"]["shape"][0]
    common = {
        "contract": 1,
        "versions": {"toy": "1.0"},
        "device": {"kind": job["device"], "name": "toy"},
        "threads": job["threads"],
        "precision": job["precision"],
        "phases": {
            "start_s": 0.01,
            "import_s": 0.01,
            "load_s": 0.01,
            "build_s": 0.01,
            "first_step_s": 0.01,
            "epoch_s": [0.01] * job["epochs"],
            "predict_s": 0.01,
        },
    }
    check = {"outputs_before": [[0.0, 0.0]] * examples, "repeat_difference": 0.0}
    if "batches" not in job["tensors"]:
        tested = job["tensors"]["test_inputs"]["shape"][0]
        features = {"mean": 0.0, "deviation": 1.0, "means": [0.0] * tested}
        return {**common, "features": features, "check": check}
    steps = job["tensors"]["batches"]["shape"][1]
    return {
        **common,
        "losses": {"first_step": 0.7, "epochs": [[0.7] * steps for _ in range(job["epochs"])]},
        "accuracy": 0.5,
        "check": {
            **check,
            "losses": [0.7] * job["check"]["batches"]["shape"][0],
            "outputs_after": [[0.0, 0.0]] * examples,
        },
    }


def main() -> None:
    """Do what the implementation's first word says."""
    job = json.loads(Path(sys.argv[1]).read_text())
    record = Path(sys.argv[2])
    deed, *details = Path(job["source"]).read_text().split()
    print(f"@progress {deed}", flush=True)
    with Path(os.environ["TOY_TRACE"]).open("a") as trace:
        trace.write(f"start {os.getpid()} {time.monotonic_ns()} {job['framework']} {os.environ['OMP_NUM_THREADS']}\n")
    if deed == "sleep":
        time.sleep(float(details[0]))
    elif deed == "raise":
        raise RuntimeError("the toy broke")
    elif deed == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif deed == "hang":
        time.sleep(10_000)
    elif deed == "eat":
        hoard = bytearray(int(details[0]) * MEBIBYTE)
        hoard[::4096] = b"x" * len(hoard[::4096])
        time.sleep(10_000)
    elif deed == "silent":
        sys.exit(0)
    elif deed == "garble":
        record.write_text("{not json")
        sys.exit(0)
    elif deed == "malform":
        record.write_text(json.dumps({**answer(job), "threads": "two"}))
        sys.exit(0)
    elif deed == "refuse":
        error = {"status": "failed", "message": "the toy refuses", "where": "toy/gru.toy:1"}
        record.write_text(json.dumps({"contract": 1, "error": error}))
        sys.exit(1)
    record.write_text(json.dumps(answer(job)))
    with Path(os.environ["TOY_TRACE"]).open("a") as trace:
        trace.write(f"end {os.getpid()} {time.monotonic_ns()} {job['framework']}\n")


if __name__ == "__main__":
    main()
