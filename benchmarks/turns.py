"""What the benchmarks share: ways to do the same work take turns, so that other load meets them all alike."""

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rosetta.models import MODELS

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


def compare(name: str, ways: Mapping[str, Work], turns: int) -> bool:
    """Let all ways take turns and print their times as shares of `BY_HAND`.

    Returns:
        Whether the way `row` keeps within the bar, by its shortest turn: what else the machine does only adds.
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
            ours, hand = ([times[kind] for times in seconds[each]] for each in (way, BY_HAND))
            medians, minima = statistics.median(ours) / statistics.median(hand), min(ours) / min(hand)
            kept = kept and not (way == "row" and clock == "wall" and minima > BAR)
            print(
                f"{name:25} {way:18} {clock:4} median {medians:.3f}  minimum {minima:.3f}  ({1000 * min(ours):.0f} ms)",
                flush=True,
            )
    return kept
