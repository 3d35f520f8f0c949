"""The table's rules, on made-up lines."""

from pathlib import Path
from typing import Any

from rosetta.files import write_text
from rosetta.languages import Row
from rosetta.models import GRU
from rosetta.table import (
    TABLE_COLUMNS,
    Line,
    _compared,
    _csv,
    _ordered,
    _ranked,
    _table_line,
    _time_to_target,
    check,
)


def line(framework: str, samples_per_s: float | None, **values: Any) -> Line:
    measured = {} if samples_per_s is None else {"samples_per_s": samples_per_s}
    return Line(
        Row("toy", framework, "gru", "native"),
        {
            "status": "ok",
            "verified": "yes",
            "device": "cpu",
            "precision": "float32",
            "data": "imdb",
            "warnings": [],
            **measured,
            **values,
        },
    )


def ranks(*lines: Line) -> dict[str, Any]:
    return {ranked.row.framework: ranked.values.get("rank") for ranked in _ranked(lines)}


def test_only_verified_rows_are_ranked() -> None:
    lines = [
        line("slow", 1.0),
        line("fast", 3.0),
        line("wrong", 9.0, verified="no"),
        line("known", 8.0, verified="deviates"),
        line("broken", None, status="failed", verified=""),
        line("predicts only", None),
    ]
    ranked = {"fast": 1, "slow": 2}
    assert ranks(*lines) == {**dict.fromkeys(("wrong", "known", "broken", "predicts only")), **ranked}


def test_rows_on_other_devices_precisions_or_data_are_ranked_apart() -> None:
    lines = [
        line("cpu", 1.0),
        line("gpu", 9.0, device="cuda"),
        line("half", 2.0, precision="bf16"),
        line("stand-in", 3.0, data="movie-reviews"),
    ]
    assert set(ranks(*lines).values()) == {1}


def test_ranked_rows_come_first_then_those_that_ran_then_failed_then_unavailable() -> None:
    lines = [
        line("d", None, status="unavailable", verified=""),
        line("c", None, status="failed", verified=""),
        line("b", 2.0, verified="no"),
        line("a", 1.0),
    ]
    assert [ordered.row.framework for ordered in _ordered(_ranked(lines))] == ["a", "b", "c", "d"]


def test_a_row_of_several_runs_is_their_median_and_interval() -> None:
    runs = [line("one", value, epoch_s=60 / value) for value in (10.0, 30.0, 20.0)]
    values = _table_line(runs[0].row, runs, None).values
    assert (values["samples_per_s_low"], values["samples_per_s"], values["samples_per_s_high"]) == (10.0, 20.0, 30.0)
    assert (values["epoch_s_low"], values["epoch_s"], values["epoch_s_high"]) == (2.0, 3.0, 6.0)
    assert values["confidence"] == 0.75  # the range of three holds the median with 1 - 2 / 2**3
    assert values["runs"] == 3
    assert "the runs differ by 100%" in values["warnings"][0]


def test_a_single_run_has_no_interval() -> None:
    values = _table_line(line("one", 1.0).row, [line("one", 1.0)], None).values
    assert "samples_per_s_low" not in values
    assert values["warnings"] == []


def test_a_row_outside_its_peers_is_doubted() -> None:
    lines = [line(name, 1.0, accuracy=0.80) for name in "abcde"] + [line("f", 1.0, accuracy=0.60)]
    doubted = [compared.row.framework for compared in _compared(lines) if compared.values["warnings"]]
    assert doubted == ["f"]


def test_peers_are_other_implementations_that_were_proven() -> None:
    odd = line("odd", 1.0, accuracy=0.60)
    same = [Line(Row("toy", "a", "gru", f"bridge {number}"), line("a", 1.0, accuracy=0.80).values) for number in "1234"]
    wrong = [line(name, 1.0, accuracy=0.80, verified="no") for name in "bcde"]
    assert [compared.row for compared in _compared([odd, *same, *wrong]) if compared.values["warnings"]] == []


def test_one_bad_run_marks_the_row() -> None:
    runs = [line("one", 1.0), line("one", None, status="failed", verified="", reason="it broke")]
    values = _table_line(runs[0].row, runs, None).values
    assert (values["status"], values["reason"], values["runs"]) == ("failed", "it broke", 1)

    runs = [line("one", 1.0), line("one", 1.0, verified="no", verdict="the losses differ")]
    values = _table_line(runs[0].row, runs, None).values
    assert (values["verified"], values["verdict"]) == ("no", "the losses differ")


def test_time_to_target_counts_training_alone() -> None:
    phases = {"first_step_s": 1.0, "epoch_s": [10.0, 11.0, 12.0], "evaluate_s": [5.0, 6.0, 7.0]}
    values = _time_to_target(GRU, {"phases": phases, "epoch_accuracy": [0.80, 0.85, 0.83]})
    assert (values["epochs_to_target"], values["seconds_to_target"], values["evaluate_s"]) == (2, 22.0, 6.0)


def test_a_target_that_is_not_reached_has_no_time() -> None:
    phases = {"first_step_s": 1.0, "epoch_s": [10.0], "evaluate_s": [5.0]}
    values = _time_to_target(GRU, {"phases": phases, "epoch_accuracy": [0.5]})
    assert "seconds_to_target" not in values
    assert values["target_accuracy"] == 0.84


def test_a_target_that_not_all_runs_reached_has_no_time() -> None:
    reached = {"epochs_to_target": 2, "seconds_to_target": 22.0, "target_accuracy": 0.84}
    runs = [line("one", 1.0, **reached), line("one", 1.0, **reached), line("one", 1.0, target_accuracy=0.84)]
    assert _table_line(runs[0].row, runs[:2], None).values["seconds_to_target"] == 22.0
    assert "seconds_to_target" not in _table_line(runs[0].row, runs, None).values


def test_a_table_without_a_good_row_names_those_that_failed(tmp_path: Path) -> None:
    failed = {"status": "failed", "reason": "it broke", "warnings": []}
    write_text(tmp_path / "table.csv", _csv(TABLE_COLUMNS, [Line(line("one", None).row, failed)]))
    no_row, one = check(tmp_path / "table.csv")
    assert no_row.endswith("no row is ok")
    assert one == "toy/one/gru/native failed: it broke"


def test_without_evaluation_there_is_no_target() -> None:
    assert _time_to_target(GRU, {"phases": {"evaluate_s": []}}) == {}
