"""What the reference holds, and which examples it takes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from rosetta.batches import write_batches
from rosetta.models import CNN, GRU, MODELS, RESNET50
from rosetta.referee import read_reference
from rosetta.reference import choose_check, dropout_losses, first_timed, write_reference
from rosetta.weights import draw, write_weights

from tests.mutants.bench import write_data


def test_the_check_holds_all_classes() -> None:
    labels = np.array([0] * 990 + list(range(10)))
    check, places = choose_check(CNN, np.arange(1000)[:, None], labels, seed=1)
    assert set(check["labels"]) == set(range(10))
    assert len(check["inputs"]) == CNN.check_examples
    np.testing.assert_array_equal(check["inputs"][:, 0], places)
    np.testing.assert_array_equal(check["labels"], labels[check["inputs"][:, 0]])


def test_the_check_s_batches_are_full_and_without_repetition() -> None:
    check, _ = choose_check(GRU, np.arange(1000)[:, None], np.arange(1000) % 2, seed=1)
    assert check["batches"].shape == (5, 64)
    for batch in check["batches"]:
        assert len(set(batch)) == 64
    assert check["batches"].max() < GRU.check_examples


def test_few_examples_are_used_again() -> None:
    check, _ = choose_check(RESNET50, np.arange(5)[:, None], None, seed=1)
    _, times = np.unique(check["inputs"], return_counts=True)
    assert sorted(times) == [2, 2, 2, 3, 3]
    assert "labels" not in check


def test_the_first_step_comes_before_the_epoch() -> None:
    data = {"train_inputs": np.arange(100), "train_labels": np.arange(100)}
    batches = np.arange(100).reshape(1, 10, 10)
    firsts = [int(inputs[0]) for inputs, _ in first_timed(data, batches)]
    assert firsts == [0, 0, 10]


def test_dropout_moves_the_loss() -> None:
    random = np.random.default_rng(1)
    images, labels = random.integers(0, 256, (4, 3, 32, 32), dtype=np.uint8), np.array([0, 1, 2, 3])
    losses = dropout_losses(CNN, draw("cnn", 1), images, labels, seed=1)
    assert len(set(losses)) == len(losses)
    assert 0.001 < losses.std() < 1


@pytest.mark.parametrize("name", ["cnn", "gru", "resnet50"])
def test_it_is_written_and_read(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small check of each model."""
    torch.set_num_threads(1)  # more only wait for each other where the machine does something else too
    model = MODELS[name]
    smaller = {**model.hyperparameters, "batch_size": 4}
    monkeypatch.setitem(MODELS, name, replace(model, hyperparameters=smaller, check_examples=5))
    write_data(tmp_path, seed=1, photo_size=64)
    write_weights(name, tmp_path, seed=1)
    if model.trains:
        write_batches(name, tmp_path, seed=1, epochs=2, train_examples=12)
    facts = write_reference(name, tmp_path, seed=1).facts
    if name == "cnn":  # the same again
        assert write_reference(name, tmp_path, seed=1).facts == facts

    reference = read_reference(tmp_path, name)
    assert reference.outputs_before.shape == (5, model.outputs)
    assert reference.test_chosen.shape == reference.test_means.shape == (5,)
    assert (reference.epochs, reference.steps) == ((2, 3) if model.trains else (0, 0))
    assert (reference.dropout is not None) == (name == "cnn")
    assert bool(reference.trainings) == model.trains
    for training in reference.trainings.values():
        assert training.losses.shape == (5,)
        assert training.outputs_after.shape == (5, model.outputs)
        assert training.timed_losses.shape == (3,)
