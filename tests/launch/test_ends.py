"""Every way in which a process can end becomes a status and a reason that a user can act on."""

import json
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rosetta.errors import RosettaError
from rosetta.launch import Outcome

from .toys import LIMITS, a_job, toy_command

Run = Callable[..., Outcome]


def test_an_answer_is_ok(run: Run) -> None:
    outcome = run("answer")
    assert (outcome.status, outcome.reason, outcome.warnings) == ("ok", "", ())
    assert outcome.record is not None
    assert outcome.record["versions"] == {"toy": "1"}
    assert outcome.process is not None
    assert (outcome.process.exit_code, outcome.process.signal) == (0, None)


@pytest.mark.parametrize("model", ["cnn", "resnet50", "gru"])
def test_an_answer_for_each_model_is_ok(run: Run, model: str) -> None:
    assert run("answer", job=a_job(model)).status == "ok"


def test_a_refusal_stands_with_its_message_and_place(run: Run, log: Path) -> None:
    outcome = run("refuse=ValueError: no\nsuch layer")
    assert outcome.status == "failed"
    assert outcome.reason == f"ValueError: no such layer (toy/cnn.py:33). Log: {log}"
    assert outcome.record is None


def test_what_is_missing_comes_with_the_command_that_mends_it(run: Run) -> None:
    outcome = run("unavailable=ModuleNotFoundError: No module named 'torch'")
    assert outcome.status == "unavailable"
    assert outcome.reason.startswith("ModuleNotFoundError: No module named 'torch'. To install: make toy. Log: ")


def test_what_this_machine_lacks_comes_with_no_advice_to_install(run: Run) -> None:
    outcome = run("unavailable=UnavailableError: It sees no GPU; choose device: cpu")
    assert outcome.status == "unavailable"
    assert outcome.reason.startswith("UnavailableError: It sees no GPU; choose device: cpu. Log: ")


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ("exception", 'The process ended with exit code 1. Its last words: "ValueError: the weights do not fit".'),
        ("say_and_exit=3 goodbye", 'The process ended with exit code 3. Its last words: "goodbye".'),
        ("say_and_exit=0 goodbye", 'The process ended without leaving a record. Its last words: "goodbye".'),
        ("sleep=0", "The process ended without leaving a record."),
        ("segfault", "The process was ended by SIGSEGV (segmentation fault)."),
        ("signal=6", 'The process was ended by SIGABRT (abort). Its last words: "doing something".'),
        ("signal=7", "The process was ended by SIGBUS (bus error)."),
        ("signal=4", "The process was ended by SIGILL (illegal instruction: was it built for another processor?)."),
        ("signal=15", "The process was ended by SIGTERM."),
        ("signal=40", "The process was ended by signal 40."),
        ("signal=9", "The process was killed (SIGKILL), by somebody or by the out-of-memory killer"),
        ("garbage", 'The process ended with exit code 2. Its last words: "ValueError: caf\N{REPLACEMENT CHARACTER}".'),
    ],
)
def test_an_end_without_a_record_has_failed(run: Run, log: Path, behaviour: str, expected: str) -> None:
    outcome = run(behaviour)
    assert outcome.status == "failed"
    assert outcome.reason.startswith(expected)
    assert outcome.reason.endswith(f" Log: {log}")
    assert outcome.record is None


@pytest.mark.parametrize(
    ("words", "last"),
    [
        ("Error in build(job) : \n  no layer\nExecution halted", "Error in build(job) : no layer"),
        ("ERROR: LoadError: no layer\nStacktrace:\n [1] error(s::String)", "ERROR: LoadError: no layer"),
        ("@progress epoch 1 of 2\n\n  \n", ""),
        ("all fine\nstill fine\n@progress x", "still fine"),
    ],
)
def test_the_last_words_are_the_error(run: Run, words: str, last: str) -> None:
    reason = run(f"say_and_exit=1 {words}").reason
    assert (f'Its last words: "{last}".' in reason) if last else ("last words" not in reason)


@pytest.mark.parametrize(
    ("behaviour", "expected"),
    [
        ("answer_then_exit=3", "after its answer the process ended with exit code 3"),
        ("answer_then_signal=11", "after its answer the process was ended by SIGSEGV (segmentation fault)"),
        ("answer_then_hang", "after its answer the process did not end within 0.3 s, and was ended"),
        ("daemon", "it left processes running, which were ended: sleep"),
    ],
)
def test_a_valid_answer_stands_however_the_process_ends(run: Run, behaviour: str, expected: str) -> None:
    outcome = run(behaviour)
    assert (outcome.status, outcome.reason, outcome.warnings) == ("ok", "", (expected,))
    assert outcome.record is not None


def test_a_refusal_stands_though_the_process_hangs(run: Run) -> None:
    outcome = run("refuse_then_hang")
    assert outcome.status == "failed"
    assert outcome.reason.startswith("no such layer.")


@pytest.mark.parametrize("behaviour", ["closed", "helper"])
def test_harmless_oddities_are_no_matter(run: Run, behaviour: str) -> None:
    outcome = run(behaviour)
    assert (outcome.status, outcome.warnings) == ("ok", ())


@pytest.mark.parametrize("behaviour", ["sleep=100", "stubborn", "stop"])
def test_the_time_limit_ends_whatever_runs(run: Run, behaviour: str) -> None:
    began = time.monotonic()
    outcome = run(behaviour, limits=replace(LIMITS, wall_s=0.4))
    assert outcome.status == "failed"
    assert outcome.reason.startswith(
        "The process had not answered at its time limit of 0.4 s "
        "(limits.wall_s; raise it, and ask again with --config retry=failed), and was ended."
    )
    assert outcome.process is not None
    assert 0.4 <= outcome.process.wall_s < 1
    assert time.monotonic() - began < 3


def test_a_flood_of_words_is_stopped_and_cut(run: Run, log: Path) -> None:
    outcome = run("flood")
    assert outcome.status == "failed"
    assert outcome.reason.startswith("The process printed more than 64 MB, and was ended.")
    assert log.stat().st_size == 64 * 2**20
    log.unlink()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        ("[1]", "breaks the contract: record must be object"),
        ('{"contract": 1}', "record lacks versions, device, threads, precision, phases, check"),
        ('{"error": {}}', "record lacks contract"),
        ('{"contract": 1, "error": {"status": "odd", "message": "x"}}', "record.error.status must be one of"),
        ('{"contract": 1, "more": NaN}', "NaN is no number in JSON"),
        ('{"contract": 1, "more": -Infinity}', "-Infinity is no number in JSON"),
        ('{"contract": 1, "more": 1e999}', "1e999 is too large"),
        (f'{{"contract": 1, "more": {"9" * 400}}}', "is too large"),
        (f'{{"contract": 1, "more": {"9" * 5000}}}', "is not JSON"),
        ('{"contract": 1, "error": {"status": "failed", "message": "\\ud800"}}', "is not JSON"),
    ],
)
def test_a_broken_record_has_failed(run: Run, text: str, fault: str) -> None:
    outcome = run(f"write={text}")
    assert outcome.status == "failed"
    assert outcome.reason.startswith("The process left a record that ")
    assert fault in outcome.reason
    assert "\n" not in outcome.reason


@pytest.mark.parametrize(
    ("behaviour", "fault"),
    [
        ("write_nested", "is not JSON"),
        ("folder", "it is no file"),
        ("fifo", "it is no file"),
        ("huge", "it is larger than 64 MB"),
        ('answer={"threads": "two"}', "record.threads must be integer"),
        ('answer={"secret": 1}', "record must not contain {'secret'} properties"),
        ("answer_without=phases.epoch_s", "record.phases lacks epoch_s"),
        ('answer_part={"phases": {"epoch_s": [1, -1]}}', "record.phases.epoch_s[1] must be bigger than or equal to 0"),
        ('answer_part={"check": {"losses": [1, null]}}', "record.check.losses[1] must be number"),
    ],
)
def test_an_odd_record_has_failed(run: Run, behaviour: str, fault: str) -> None:
    outcome = run(behaviour)
    assert outcome.status == "failed"
    assert fault in outcome.reason


@pytest.mark.parametrize(
    ("behaviour", "mismatch"),
    [
        ('answer={"precision": "bf16"}', "precision is bf16, not float32"),
        ('answer={"device": {"kind": "cuda", "name": "x"}}', "device.kind is cuda, not cpu"),
        ("answer_without=losses", "losses is absent, not present"),
        ("answer_without=accuracy", "accuracy is absent, not present"),
        ("answer_without=check.losses", "check.losses is absent, not present"),
        ("answer_without=check.outputs_after", "check.outputs_after is absent, not present"),
        ('answer={"features": {"mean": 0, "deviation": 1, "means": []}}', "features is present, not absent"),
        ('answer_part={"phases": {"epoch_s": [1]}}', "the length of phases.epoch_s is 1, not 2"),
        ('answer_part={"losses": {"epochs": [[1, 1, 1]]}}', "the shape of losses.epochs is [1, 3], not [2, 3]"),
        ('answer_part={"losses": {"epochs": [[1], [1, 2]]}}', "the shape of losses.epochs is ragged, not [2, 3]"),
        ('answer_part={"check": {"losses": [1]}}', "the length of check.losses is 1, not 2"),
        ('answer_part={"check": {"outputs_before": []}}', "the shape of check.outputs_before is [0], not [5, 2]"),
        (
            'answer_part={"check": {"outputs_after": [[1, 2]]}}',
            "the shape of check.outputs_after is [1, 2], not [5, 2]",
        ),
    ],
)
def test_an_answer_to_something_else_has_failed(run: Run, behaviour: str, mismatch: str) -> None:
    outcome = run(behaviour)
    assert outcome.status == "failed"
    assert outcome.reason.startswith(f"The process answered something else than was asked: {mismatch}.")


def test_features_with_losses_have_failed(run: Run) -> None:
    outcome = run('answer={"losses": {"first_step": 1, "epochs": []}}', job=a_job("resnet50"))
    assert "losses is present, not absent" in outcome.reason


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ('{"phases": {"epoch_s": [500, 500]}}', "answered that its phases took 1000"),
        ('{"phases": {"epoch_s": [0, 1]}}', "an epoch or a prediction took no time"),
        ('{"losses": {"first_step": 1e300}}', "a loss that is no float32"),
    ],
)
def test_impossible_times_and_losses_have_failed(run: Run, part: str, said: str) -> None:
    outcome = run(f"answer_part={part}")
    assert outcome.status == "failed"
    assert said in outcome.reason


def test_a_command_that_cannot_be_started_is_unavailable(run: Run, tmp_path: Path) -> None:
    orphaned = tmp_path / "orphaned"
    orphaned.write_text("#!/no/such/interpreter\n")
    orphaned.chmod(0o755)
    locked = tmp_path / "locked"
    locked.write_text("#!/bin/sh\n")
    binary = tmp_path / "binary"
    binary.write_bytes(b"\0\1\2")
    binary.chmod(0o755)
    for command, fault in {
        "no-such-julia": "it is not installed",
        "/no/such/julia": "it is not installed",
        str(orphaned): "the interpreter that its first line names does not exist",
        str(locked): "Permission denied",
        str(binary): "Exec format error",
    }.items():
        outcome = run(command=[command])
        assert outcome.status == "unavailable"
        assert outcome.reason == f"{command} cannot be started: {fault}. To install: make toy"
        assert outcome.process is None


def test_what_a_shell_does_not_find_is_unavailable(run: Run) -> None:
    outcome = run(command=["bash", "-c", "no-such-julia"])
    assert outcome.status == "unavailable"
    assert "no-such-julia: command not found" in outcome.reason
    assert "To install: make toy." in outcome.reason


def test_a_command_is_looked_for_on_the_jobs_own_path(run: Run, tmp_path: Path) -> None:
    julia = tmp_path / "toy-julia"
    julia.write_text('#!/bin/sh\nexec "$@"\n')
    julia.chmod(0o755)
    outcome = run(command=["toy-julia", *toy_command("answer")], environment={"PATH": f"{tmp_path}:/usr/bin:/bin"})
    assert outcome.status == "ok"


def test_a_wrong_job_is_our_own_error(run: Run, log: Path) -> None:
    with pytest.raises(RosettaError, match=r"job.schema.json: job.threads must be bigger than or equal to 1"):
        run("answer", job={**a_job(), "threads": 0})
    with pytest.raises(RosettaError, match="cannot be written as JSON"):
        run("answer", job={**a_job(), "hyperparameters": {"batch_size": 4, "rate": float("nan")}})


def test_a_log_that_cannot_be_written_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RosettaError, match=r"The log .*run.log cannot be written: File exists"):
        run("answer", log=tmp_path / "file" / "run.log")


def test_the_log_is_emptied_first_and_holds_both_streams(run: Run, log: Path) -> None:
    log.parent.mkdir()
    log.write_text("from last time")
    run(command=["bash", "-c", "echo out; echo err >&2; echo out"])
    assert log.read_text() == "out\nerr\nout\n"


def test_reasons_are_short_however_long_the_words(run: Run) -> None:
    outcome = run("refuse=" + "very long " * 5000)
    assert len(outcome.reason) < 800
    assert json.dumps(outcome.reason)


def test_the_handlers_of_signals_are_given_back(run: Run) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    run("answer")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before
