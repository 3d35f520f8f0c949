"""Launching a job: its environment, the watch over its process, the outcome."""

import json
import math
import os
import select
import signal
import tempfile
from pathlib import Path
from typing import Any

from rosetta.errors import RosettaError
from rosetta.launch.answer import read_answer
from rosetta.launch.interruption import Interruption
from rosetta.launch.limits import Limits, MemoryWatch
from rosetta.launch.log import LIMIT_BYTES as LOG_LIMIT_BYTES
from rosetta.launch.log import Log
from rosetta.launch.outcome import Context, End, Outcome, ProcessFacts, not_started, outcome_of
from rosetta.launch.process import Process
from rosetta.launch.progress import Progress
from rosetta.launch.validation import fault_in_job

RAISE_IT = "raise it, and ask again with --config retry=failed"

# Whatever a framework's own setting reads; Snakemake sets some of them from the rule's `threads`.
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "GOTO_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMEXPR_MAX_THREADS",
    "JULIA_NUM_THREADS",
    "PYTHON_JULIACALL_THREADS",
    "TF_NUM_INTRAOP_THREADS",
)


def launch(
    command: list[str],
    job: dict[str, Any],
    environment: dict[str, str],
    limits: Limits,
    log: Path,
    label: str,
    install: str,
) -> Outcome:
    """Run a job in a fresh process and say what became of it. To be called in the main thread, one at a time.

    Args:
        command: the harness's command, to which the paths of job and record are appended.
        job: as job.schema.json describes it.
        environment: additions to this process's environment; they win over the thread variables set here.
        limits: what the job may use.
        log: the file for what the process prints; emptied first.
        label: what to call the job while it runs.
        install: the command that mends a missing toolchain or package, for reasons.

    Returns:
        The outcome, whatever the job did.

    Raises:
        RosettaError: the job breaks its schema, the log cannot be written, or this machine cannot start processes.
        Interrupted: SIGINT, SIGTERM, SIGHUP, or the parent process ended.
    """
    with Interruption() as interruption, Log(log) as opened_log, Progress(label) as progress:
        folder = _folder(job)
        record = folder / "record.json"
        additions = {
            **dict.fromkeys(THREAD_VARIABLES, str(job["threads"])),
            "TMPDIR": str(folder / "tmp"),
            **environment,
        }
        killed_before = _out_of_memory_kills()
        whole_command = [*command, str(folder / "job.json"), str(record)]
        with Process(whole_command, additions, folder, opened_log) as process:
            memory = MemoryWatch()
            stopped = _watch(process, limits, record, memory, opened_log, progress, interruption)
            process.wait()
            answer = read_answer(record)
        opened_log.cut()
        if process.refused:
            path = environment.get("PATH", os.environ.get("PATH", os.defpath))
            outcome = not_started(command[0], path, process.refused, install)
        else:
            end = End(
                facts=_facts(process, memory),
                stopped=stopped,
                left=process.left,
                out_of_memory=_out_of_memory_kills() > killed_before,
                gone=process.gone,
            )
            outcome = outcome_of(job, answer, end, Context(log, opened_log.last_words(), install))
        progress.finish(f"{outcome.status}: {outcome.reason}" if outcome.reason else outcome.status)
        return outcome


def _folder(job: dict[str, Any]) -> Path:
    """A private folder that holds the job, and takes the record and the job's temporary files."""
    fault = fault_in_job(job)
    if fault:
        raise RosettaError(f"The job breaks config/schemas/job.schema.json: {fault}")
    try:
        text = json.dumps(job, allow_nan=False, ensure_ascii=False)
        folder = Path(tempfile.mkdtemp(prefix="rosetta-"))
        (folder / "tmp").mkdir()
        (folder / "job.json").write_text(text, encoding="utf-8")
    except (TypeError, ValueError) as error:
        raise RosettaError(f"The job cannot be written as JSON: {error}") from None
    except OSError as error:
        raise RosettaError(f"No temporary folder can be made: {error}. Set TMPDIR to a folder with room.") from None
    return folder


def _watch(
    process: Process,
    limits: Limits,
    record: Path,
    memory: MemoryWatch,
    log: Log,
    progress: Progress,
    interruption: Interruption,
) -> str:
    """Watch a process until it ends or is told to.

    Returns:
        Why it was told to end, as a sentence without subject; "" if it ended by itself.

    Raises:
        Interrupted: see `launch`; the process still runs.
    """
    events = select.poll()
    events.register(process.fileno(), select.POLLIN)
    events.register(interruption.fileno(), select.POLLIN)
    allowed_s = limits.wall_s
    answered = False
    while True:
        pause_s = min(memory.pause_s, max(0.0, allowed_s - process.age_s))
        ready = [fd for fd, _ in events.poll(math.ceil(1000 * pause_s))]
        if process.fileno() in ready:
            process.receive()
        interruption.check()
        if process.ended:
            return ""
        if not answered and os.path.lexists(record):
            answered = True
            allowed_s = process.age_s + limits.exit_grace_s
        held_bytes = memory.poll(process.pid)
        stopped = ""
        if held_bytes > limits.memory_bytes:
            held, limit = _gib(held_bytes), _gib(limits.memory_bytes)
            stopped = f"held {held} of memory, more than its limit of {limit} (limits.memory_gib; {RAISE_IT})"
        elif log.size_bytes() > LOG_LIMIT_BYTES:
            stopped = f"printed more than {LOG_LIMIT_BYTES // 2**20} MB"
        elif process.age_s >= allowed_s and answered:
            stopped = f"did not end within {limits.exit_grace_s:g} s"
        elif process.age_s >= allowed_s:
            stopped = f"had not answered at its time limit of {limits.wall_s:g} s (limits.wall_s; {RAISE_IT})"
        if stopped:
            process.end()
            return stopped
        progress.update(log.progress())


def _facts(process: Process, memory: MemoryWatch) -> ProcessFacts:
    status = process.wait_status
    exit_code = os.WEXITSTATUS(status) if status is not None and os.WIFEXITED(status) else None
    signal_name = _signal_name(os.WTERMSIG(status)) if status is not None and os.WIFSIGNALED(status) else None
    return ProcessFacts(
        exit_code=exit_code,
        signal=signal_name,
        wall_s=process.wall_s,
        cpu_user_s=process.cpu_user_s,
        cpu_system_s=process.cpu_system_s,
        peak_rss_bytes=max(process.peak_bytes, memory.peak_bytes),
        started_at=process.started_at,
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _out_of_memory_kills() -> int:
    """How many processes the kernel's out-of-memory killer has killed since the start; 0 if it does not tell."""
    try:
        with Path("/proc/vmstat").open("rb") as counters:
            return next(int(line.split()[1]) for line in counters if line.startswith(b"oom_kill "))
    except (OSError, StopIteration):
        return 0


def _gib(size_bytes: int) -> str:
    return f"{size_bytes / 2**30:.2f} GiB"
