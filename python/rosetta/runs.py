"""One run of one row: from its settings to its run file, in which every end is recorded."""

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rosetta import load, machine, toolchains
from rosetta.energy import EnergyMeter
from rosetta.files import write_json
from rosetta.jobs import compose
from rosetta.languages import Framework, Language, Row, discover
from rosetta.launch import Limits, Outcome, launch
from rosetta.tensors import Sheet


def run(root: Path, shared_data: Path, settings: dict[str, Any], limits: Limits, output: Path, log: Path) -> int:
    """Run a row once and write its run file.

    Args:
        root: the project folder.
        shared_data: where the prepared tensors are.
        settings: as made by `Plan.run`.
        output: the run file, written whole or not at all.
        log: what the run printed.

    Returns:
        0 if a run file was written, whatever became of the row.

    Raises:
        RosettaError: the runner's own files are missing or broken.
        Interrupted: the runner was asked to stop; nothing was written.
    """
    row = Row(**settings["row"])
    language = discover(root)[row.language]
    framework = language.frameworks[row.framework]
    log.parent.mkdir(parents=True, exist_ok=True)
    tried = _try(language, framework, row, settings, shared_data, limits, log)
    if tried["status"] == "unavailable" and settings["or_cpu"]:
        on_gpu = f"ran on the CPU, since it cannot use the GPU: {tried['reason']}"
        tried = _try(language, framework, row, {**settings, "device": "cpu"}, shared_data, limits, log)
        tried["warnings"].append(on_gpu)
    facts = {
        "row": asdict(row),
        "run": settings["run"],
        "data": _data(shared_data, row.model),
        "limits": asdict(limits),
        "machine": machine.describe(),
    }
    # The settings as planned, by which the next start sees what has changed.
    write_json(output, {**facts, **tried, "settings": settings})
    return 0


def _try(
    language: Language,
    framework: Framework,
    row: Row,
    settings: dict[str, Any],
    shared_data: Path,
    limits: Limits,
    log: Path,
) -> dict[str, Any]:
    """Run a row on the device that the settings name: what the run file says of it."""
    toolchain = toolchains.find(language, framework)
    refusal = toolchain.problem or _refusal(framework, settings)
    if refusal:
        command = framework.install if toolchain.interpreter else language.install
        hint = f" Install it: {command}" if toolchain.problem else ""
        reason = f"{refusal}.{hint}"
        log.write_text(f"{reason}\n", encoding="utf-8")
        return _outcome(Outcome("unavailable", reason, None, None, ()), settings["device"], {}, None, None)
    job = compose(language, framework, row, settings, shared_data)
    before, start_s = load.read(), time.monotonic()
    with EnergyMeter(gpus=settings["device"] == "cuda") as energy:
        outcome = launch(
            command=toolchains.expand(language.bridges[row.bridge], str(toolchain.interpreter), language.folder),
            job=job,
            environment=framework.environment,
            limits=limits,
            log=log,
            label=f"{row} run {settings['run']}",
            install=framework.install,
        )
    own_cpu_s = outcome.process.cpu_user_s + outcome.process.cpu_system_s if outcome.process else 0.0
    others = load.between(before, load.read(), time.monotonic() - start_s, own_cpu_s)
    return _outcome(outcome, settings["device"], _work(job), asdict(others), energy.joules)


def _outcome(
    outcome: Outcome, device: str, work: dict[str, Any], others: dict[str, Any] | None, energy_j: float | None
) -> dict[str, Any]:
    return {
        "status": outcome.status,
        "reason": outcome.reason,
        "warnings": list(outcome.warnings),
        "device": device,
        "work": work,
        "process": asdict(outcome.process) if outcome.process else None,
        "load": others,
        "energy_j": energy_j,
        "record": outcome.record,
    }


def _refusal(framework: Framework, settings: dict[str, Any]) -> str:
    """Why a framework cannot do what is asked of it; "" if it can."""
    if settings["device"] not in framework.devices:
        return f"{framework.title} does not run on {settings['device']} here; ask for --config device=cpu"
    if settings["precision"] not in framework.precision:
        offered = ", ".join(framework.precision)
        return f"{framework.title} does not offer precision {settings['precision']}; ask for one of: {offered}"
    if settings["compile"] and not framework.compile:
        return f"{framework.title} has no compiler to switch on; ask for --config compile=false"
    return ""


def _work(job: dict[str, Any]) -> dict[str, Any]:
    """How much work the job is: epochs, steps of an epoch, examples of a batch and of the test set."""
    batches = job["tensors"].get("batches")
    return {
        "epochs": job["epochs"],
        "steps": batches["shape"][1] if batches else 0,
        "batch_size": job["hyperparameters"]["batch_size"],
        "test_examples": job["tensors"]["test_inputs"]["shape"][0],
    }


def _data(shared_data: Path, model: str) -> dict[str, Any]:
    """Which data set and which initial weights a run worked on."""
    data = Sheet.read(shared_data / f"{model}.json").facts
    weights = Sheet.read(shared_data / "weights" / f"{model}.json").facts
    return {"dataset": data["dataset"], "title": data["title"], "sha256": data["sha256"], "weights": weights["title"]}
