"""The shared order of the batches."""

from pathlib import Path

import numpy as np
import pytest
from rosetta.batches import batch_order, write_batches
from rosetta.errors import RosettaError
from rosetta.tensors import Sheet, write_examples


def test_each_epoch_is_a_new_order_of_the_same_examples() -> None:
    order = batch_order(available=128, chosen=128, epochs=3, batch_size=32, seed=1)
    assert order.shape == (3, 4, 32)
    assert order.dtype == np.int64
    for epoch in order:
        assert sorted(epoch.flatten()) == list(range(128))
    assert (order[0] != order[1]).any()


def test_only_full_batches() -> None:
    order = batch_order(available=100, chosen=100, epochs=2, batch_size=32, seed=1)
    assert order.shape == (2, 3, 32)
    assert len(np.unique(order[0])) == 96


def test_a_subset_is_random_and_the_same_in_all_epochs() -> None:
    order = batch_order(available=10_000, chosen=64, epochs=2, batch_size=64, seed=1)
    assert set(order[0].flatten()) == set(order[1].flatten())
    assert order.max() > 5000  # not the first ones, which may be all of one class


def test_the_seed_decides() -> None:
    orders = [batch_order(100, 64, 1, 32, seed).tolist() for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    labels = np.zeros(200, np.int64)
    tensors = write_examples(tmp_path / "gru.arrow", {"train_labels": labels}, {})
    Sheet(tensors, {}).write(tmp_path / "gru.json")
    return tmp_path


@pytest.mark.parametrize(("examples", "steps"), [("all", 3), (64, 1), (200, 3)])
def test_the_sheet_tells_where_the_batches_lie(folder: Path, examples: int | str, steps: int) -> None:
    write_batches("gru", folder, seed=1, epochs=2, train_examples=examples)
    batches = Sheet.read(folder / "batches" / "gru.json").tensors["batches"].map()
    assert batches.shape == (2, steps, 64)
    assert batches.max() < 200


@pytest.mark.parametrize(("examples", "complaint"), [(201, "has 200"), (63, "do not fill one batch of 64")])
def test_a_wrong_number_of_examples_is_refused(folder: Path, examples: int, complaint: str) -> None:
    with pytest.raises(RosettaError, match=complaint):
        write_batches("gru", folder, seed=1, epochs=2, train_examples=examples)
