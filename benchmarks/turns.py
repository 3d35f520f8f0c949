"""What the benchmarks share: ways to do the same work take turns, so that other load meets them all alike."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rosetta.models import MODELS
from rosetta.statistics import summarize

Work = Callable[[], Any]
BY_HAND = "by hand"
BAR = 1.02  # of the loop by hand: what a row may take at most


def data(model: str, steps: int) -> dict[str, np.ndarray]:
    """The inputs, labels and batches of a turn of so many steps: numbers without meaning, of the real shapes."""
    random = np.random.default_rng(1)
    count = steps * MODELS[model].hyperparameters["batch_size"]
    if model == "gru":
        inputs = random.integers(0, 30_000, (count, 150), dtype=np.int32)
    else:
        side = 32 if model == "cnn" else 224
        inputs = random.integers(0, 256, (count, 3, side, side), dtype=np.uint8)
    labels, batches = random.integers(0, 2, count), random.permutation(count).reshape(steps, -1)
    return {"inputs": inputs, "labels": labels, "batches": batches}


def in_batches(inputs: Any, batch_size: int) -> list[Any]:
    """An array or a tensor in parts of `batch_size`, the last one with what is left."""
    return [inputs[start : start + batch_size] for start in range(0, len(inputs), batch_size)]


def compare(name: str, ways: Mapping[str, Work], turns: int) -> bool:
    """Let all ways take turns and print their times as shares of `BY_HAND`.

    A share is of the same turn, since a machine's speed may change from turn to turn. Printed are the shares' median
    and the interval in which that of very many turns lies; and the share of the shortest turns, since what else the
    machine does only adds.

    Returns:
        False if the way `row` is surely above the bar: with the whole interval of its wall time.
    """
    seconds: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    for work in ways.values():
        work()  # compiles
    for turn in range(turns):
        for way in list(ways) if turn % 2 else reversed(ways):
            wall, cpu = time.perf_counter(), time.process_time()
            ways[way]()
            seconds[way].append((time.perf_counter() - wall, time.process_time() - cpu))
    kept = True
    for way in ways:
        if way == BY_HAND:
            continue
        for kind, clock in enumerate(("wall", "CPU")):
            share = summarize(
                [ours[kind] / hand[kind] for ours, hand in zip(seconds[way], seconds[BY_HAND], strict=True)]
            )
            low, high = (share.interval.low, share.interval.high) if share.interval else (share.median, share.median)
            kept = kept and not (way == "row" and clock == "wall" and low > BAR)
            shortest, shortest_by_hand = (min(times[kind] for times in seconds[each]) for each in (way, BY_HAND))
            print(
                f"{name:25} {way:18} {clock:4} median {share.median:.3f} ({low:.3f} to {high:.3f})"
                f"  shortest turn {shortest / shortest_by_hand:.3f} ({shortest:.2f} s)",
                flush=True,
            )
    return kept
