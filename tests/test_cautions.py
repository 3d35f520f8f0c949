"""The closed list of warnings: each is given when it should be, and not a moment earlier."""

from typing import Any

import pytest
from rosetta.cautions import Kind, of_peers, of_run, of_runs


def a_run(epoch_s: list[float], threads: int = 2, load: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "status": "ok",
        "settings": {"threads": 2},
        "record": {"phases": {"epoch_s": epoch_s}, "threads": threads},
        "load": load or {"other_cores": 0.0, "throttles": None},
    }


def kinds(file: dict[str, Any]) -> list[Kind]:
    return [caution.kind for caution in of_run(file)]


@pytest.mark.parametrize("epoch_s", [[], [1.0], [1.1, 1.0], [1.0, 1.0, 1.05]])
def test_a_calm_run(epoch_s: list[float]) -> None:
    assert kinds(a_run(epoch_s)) == []


def test_a_run_that_gave_no_answer() -> None:
    assert of_run({"status": "failed", "record": None}) == []


def test_a_run_file_of_before_there_was_a_load() -> None:
    file = a_run([1.0, 1.0])
    del file["load"]
    assert of_run(file) == []


def test_slow_first_epoch() -> None:
    assert kinds(a_run([1.5, 1.0, 1.0])) == [Kind.SLOW_FIRST_EPOCH]


def test_epochs_that_differ() -> None:
    assert kinds(a_run([1.0, 1.0, 1.2])) == [Kind.NOISY]


def test_thread_count_differs() -> None:
    assert kinds(a_run([1.0], threads=1)) == [Kind.OTHER_THREADS]


def test_throttled() -> None:
    assert kinds(a_run([1.0], load={"other_cores": 0.0, "throttles": 3})) == [Kind.THROTTLED]


def test_other_load_has_figure_and_hint() -> None:
    (caution,) = of_run(a_run([1.0], load={"other_cores": 1.26, "throttles": 0}))
    assert str(caution) == (
        "other load: other programs kept 1.3 cores busy "
        "(close other programs and run the row again: delete its file in results/runs)"
    )


def test_noisy_runs() -> None:
    assert of_runs([100.0]) == []
    assert of_runs([100.0, 101.0, 99.0]) == []
    assert [caution.kind for caution in of_runs([100.0, 101.0, 80.0])] == [Kind.NOISY]


def test_a_result_outside_its_peers() -> None:
    peers = [0.76, 0.77, 0.765, 0.755]
    assert [caution.kind for caution in of_peers(0.60, peers)] == [Kind.OUTSIDE_PEERS]
    assert of_peers(0.765, peers) == []


def test_peers_that_agree_closely_do_not_accuse_a_hair_s_breadth() -> None:
    assert of_peers(0.77, [0.76, 0.76, 0.76, 0.76]) == []


def test_too_few_peers() -> None:
    assert of_peers(0.1, [0.9, 0.9, 0.9]) == []


def test_every_kind_has_a_code_and_a_hint_of_its_own() -> None:
    assert len({kind.code for kind in Kind}) == len({kind.hint for kind in Kind}) == len(Kind) == 6
