"""How the end of a process becomes status and reason.

The record decides, not the end of the process. A valid answer stands (`ok`) even if the process crashed, hung or
broke a limit after it had been left: R, torch and Julia are known to crash at exit. That is a warning. A refusal stands
likewise. Without either, the row has failed, and the reason says how the process ended and quotes the last words of
its log.
"""

import errno
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosetta.launch.answer import Answer
from rosetta.launch.complete import impossible, mismatch
from rosetta.launch.log import one_line

SIGNAL_MEANINGS = {
    "SIGSEGV": "segmentation fault",
    "SIGABRT": "abort",
    "SIGBUS": "bus error",
    "SIGFPE": "arithmetic error",
    "SIGILL": "illegal instruction: was it built for another processor?",
}
OWN_REMEDY = "UnavailableError: "  # a message of an implementation's own, which says what to do
SHELL_NOT_FOUND = 127  # exit code of shells, `env` and the dynamic loader
REASON_CHARACTERS = 600


@dataclass(frozen=True)
class ProcessFacts:
    """What is known of a process that was started.

    Attributes:
        exit_code: None if a signal ended it.
        signal: the name of the signal that ended it, else None.
        wall_s: from its start to its end.
        cpu_user_s, cpu_system_s: of all its processes, by the kernel's account.
        peak_rss_bytes: most resident memory: of the largest of its processes by the kernel's account, or of all
            together as polled, whatever is more.
        started_at: ISO 8601, UTC.
    """

    exit_code: int | None
    signal: str | None
    wall_s: float
    cpu_user_s: float
    cpu_system_s: float
    peak_rss_bytes: int
    started_at: str


@dataclass(frozen=True)
class Outcome:
    """What became of a job.

    Attributes:
        status: ok, failed, or unavailable (something is not installed, or this machine lacks it).
        reason: one line: what happened and what to do; "" if ok.
        record: the valid answer if ok, else None.
        process: None if nothing could be started.
        warnings: what a reader of the row should know, one line each.
    """

    status: str
    reason: str
    record: dict[str, Any] | None
    process: ProcessFacts | None
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class End:
    """How a process ended.

    Attributes:
        facts: what is known of it.
        stopped: why the launcher ended it, as a sentence without its subject; "" if it ended by itself.
        left: names of the processes that it left behind.
        out_of_memory: whether the kernel's out-of-memory killer was at work meanwhile.
        gone: whether all its processes could be ended.
    """

    facts: ProcessFacts
    stopped: str
    left: tuple[str, ...]
    out_of_memory: bool
    gone: bool


@dataclass(frozen=True)
class Context:
    """What reasons speak of besides the end of the process.

    Attributes:
        log: the path of the log.
        last_words: the line of the log that tells most; "" if it is empty.
        install: the command that mends a missing toolchain or package.
    """

    log: Path
    last_words: str
    install: str

    def reason(self, *sentences: str) -> str:
        """One line of sentences; the log's path comes last and is never cut."""
        pointer = f" Log: {self.log}"
        return one_line(" ".join(sentences), max(100, REASON_CHARACTERS - len(pointer))) + pointer


def not_started(command: str, path: str, error_number: int, install: str) -> Outcome:
    """The outcome of a command that could not be started.

    Args:
        command: the program, to be found on `path` if it is a bare name.
        path: the PATH it was looked for on.
        error_number: the `errno` that the attempt gave.
        install: the command that mends it.
    """
    fault = os.strerror(error_number)
    if error_number == errno.ENOENT:
        found = shutil.which(command, path=path)
        fault = "the interpreter that its first line names does not exist" if found else "it is not installed"
    reason = f"{command} cannot be started: {fault}. To install: {install}"
    return Outcome("unavailable", one_line(reason, REASON_CHARACTERS), None, None, ())


def outcome_of(job: dict[str, Any], answer: Answer, end: End, context: Context) -> Outcome:
    """The outcome of a job whose process was started and has ended."""
    if answer.refusal:
        return _refused(answer.refusal, end, context)
    if answer.record is None:
        return _unanswered(answer.fault, end, context)
    fault = mismatch(answer.record, job) or impossible(answer.record, end.facts.wall_s)
    if fault:
        return Outcome("failed", context.reason(f"The process {fault}."), None, end.facts, ())
    warnings = []
    if end.stopped or end.facts.exit_code != 0:
        warnings.append(f"after its answer the process {_way(end)}")
    if end.left and not end.stopped:
        warnings.append(f"it left processes running, which were ended: {', '.join(end.left)}")
    return Outcome("ok", "", answer.record, end.facts, tuple(one_line(warning) for warning in warnings))


def _refused(refusal: dict[str, Any], end: End, context: Context) -> Outcome:
    where = f" ({refusal['where']})" if "where" in refusal else ""
    message = f"{one_line(refusal['message'])}{where}."
    missing = refusal["status"] == "unavailable" and not refusal["message"].startswith(OWN_REMEDY)
    advice = [f"To install: {context.install}."] if missing else []
    return Outcome(refusal["status"], context.reason(message, *advice), None, end.facts, ())


def _unanswered(fault: str, end: End, context: Context) -> Outcome:
    """The outcome of a process that left no valid record; `fault` says what is wrong with the one it left, if any."""
    status = "failed"
    ended_well = end.facts.exit_code == 0 and not end.stopped
    if fault:
        sentences = [f"The process {fault}."] + ([] if ended_well else [f"It {_way(end)}."])
    else:
        sentences = [f"The process {'ended without leaving a record' if ended_well else _way(end)}."]
    if not end.gone:
        sentences.append("The kernel cannot end it: restart the machine.")
    if end.out_of_memory and end.facts.signal != "SIGKILL":
        sentences.append("The kernel's out-of-memory killer was at work meanwhile.")
    if context.last_words and not fault:
        sentences.append(f'Its last words: "{context.last_words}".')
    if end.facts.exit_code == SHELL_NOT_FOUND and not end.stopped:
        status = "unavailable"
        sentences.append(f"To install: {context.install}.")
    return Outcome(status, context.reason(*sentences), None, end.facts, ())


def _way(end: End) -> str:
    """How the process ended, as a sentence without subject."""
    if end.stopped:
        return f"{end.stopped}, and was ended"
    if end.facts.exit_code is not None:
        return f"ended with exit code {end.facts.exit_code}"
    if end.facts.signal is None:
        return "was lost: its keeper was killed"
    if end.facts.signal == "SIGKILL":
        if end.out_of_memory:
            return "was killed by the kernel's out-of-memory killer: it needs more memory than this machine has left"
        return "was killed (SIGKILL), by somebody or by the out-of-memory killer of a container or batch system"
    meaning = SIGNAL_MEANINGS.get(end.facts.signal)
    return f"was ended by {end.facts.signal}" + (f" ({meaning})" if meaning else "")
