"""Small data sets with their weights, batches and reference; once for all mutants."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from rosetta.batches import write_batches
from rosetta.models import MODELS
from rosetta.reference import write_reference
from rosetta.weights import write_weights

from tests.mutants.bench import write_data


@pytest.fixture(scope="package")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of the prepared tensors; to save time batches and photographs are smaller than the real ones.

    The smaller batches end with the package: other tests meet the real models.
    """
    folder = tmp_path_factory.mktemp("prepared")
    torch.set_num_threads(1)  # more only wait for each other where the machine does something else too
    with pytest.MonkeyPatch.context() as patch:
        for name in ("cnn", "gru"):
            model = MODELS[name]
            smaller = replace(model, hyperparameters={**model.hyperparameters, "batch_size": 8}, check_examples=19)
            patch.setitem(MODELS, name, smaller)
        write_data(folder, seed=1, photo_size=64)
        for name in MODELS:
            write_weights(name, folder, seed=1)
            if MODELS[name].trains:
                write_batches(name, folder, seed=1, epochs=1, train_examples=32)
            write_reference(name, folder, seed=1)
        yield folder
