"""The order of work (docs/contract.md, section 4)."""

from __future__ import annotations

import platform
import traceback
from pathlib import Path
from typing import Any

from harness.answers import accuracy, digest, require_losses, require_outputs
from harness.check import check
from harness.implementation import Implementation
from harness.job import CONTRACT, options, read_job
from harness.phases import Phases, progress
from harness.probe import versions
from harness.record import refusal, write_record
from harness.tensors import map_tensor, map_tensors


def run(job_path: Path, record_path: Path, first_line_ns: int) -> int:
    """Do the job, write the record and return the exit code."""
    job: dict[str, Any] = {}
    try:
        job = read_job(job_path)
        record = work(job, first_line_ns)
    except Exception as error:
        traceback.print_exc()
        write_record(record_path, refusal(error, job))
        return 1
    write_record(record_path, record)
    return 0


def work(job: dict[str, Any], first_line_ns: int) -> dict[str, Any]:
    """Time each phase, work through the check and give the record."""
    phases = Phases(first_line_ns)
    settings = options(job, job["hyperparameters"])

    progress("import")
    with phases.phase("import_s", since_ns=first_line_ns):
        implementation = Implementation(Path(job["source"]))
        implementation.framework.configure(settings)
    phases.synchronize = implementation.framework.synchronize

    with phases.phase("load_s"):
        mapped = map_tensors(job["tensors"])
        tensors = implementation.load(mapped)
        weights = implementation.load(map_tensors(job["weights"]))
        check_places = {name: place for name, place in job["check"].items() if name != "hyperparameters"}
        check_tensors = implementation.load(map_tensors(check_places))

    progress("build")
    with phases.phase("build_s"):
        model = implementation.build(settings, weights)

    progress("first step")
    record: dict[str, Any] = {"contract": CONTRACT}
    if "batches" in tensors:
        record.update(train(implementation, model, tensors, job, phases))
    else:
        with phases.phase("first_step_s"):
            outputs = implementation.predict(model, tensors["test_inputs"][: settings.batch_size])
        require_outputs(outputs, min(settings.batch_size, len(tensors["test_inputs"])))

    progress("predict")
    with phases.phase("predict_s"):
        outputs = implementation.predict(model, tensors["test_inputs"])
    require_outputs(outputs, len(mapped["test_inputs"]))
    if "test_labels" in mapped:
        record["accuracy"] = accuracy(outputs, mapped["test_labels"])
    else:
        record["features"] = digest(outputs)

    progress("check")
    record["check"] = check(implementation, job, model, weights, check_tensors)
    record.update(implementation.framework.describe(settings))
    record["versions"] = {"python": platform.python_version(), **installed(job["packages"])}
    record["phases"] = phases.seconds
    return record


def train(
    implementation: Implementation, model: Any, tensors: dict[str, Any], job: dict[str, Any], phases: Phases
) -> dict[str, Any]:
    """Train: one batch, then the epochs; give the record's `losses` and, if the job asks for it, `epoch_accuracy`."""
    inputs, labels, batches = tensors["train_inputs"], tensors["train_labels"], tensors["batches"]
    with phases.phase("first_step_s"):
        first_losses = implementation.train(model, inputs, labels, batches[0][:1])
        implementation.predict(model, tensors["test_inputs"][: job["hyperparameters"]["batch_size"]])
    require_losses(first_losses, 1)
    losses: dict[str, Any] = {"first_step": float(first_losses[0]), "epochs": []}
    accuracies = []
    for epoch in range(job["epochs"]):
        progress(f"epoch {epoch + 1} of {job['epochs']}")
        with phases.phase("epoch_s"):
            epoch_losses = implementation.train(model, inputs, labels, batches[epoch])
        require_losses(epoch_losses, len(batches[epoch]))
        losses["epochs"].append(epoch_losses.tolist())
        if job.get("evaluate"):
            with phases.phase("evaluate_s"):
                outputs = implementation.predict(model, tensors["test_inputs"])
            test_labels = map_tensor(job["tensors"]["test_labels"])
            require_outputs(outputs, len(test_labels))
            accuracies.append(accuracy(outputs, test_labels))
    return {"losses": losses, **({"epoch_accuracy": accuracies} if accuracies else {})}


def installed(packages: list[str]) -> dict[str, str]:
    """The versions of those packages that are installed."""
    return {package: version for package, version in versions(packages).items() if version is not None}
