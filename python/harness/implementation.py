"""Loads an implementation and the framework's file beside it, and answers in NumPy for both."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np


class Implementation:
    """One framework's one model. What goes in and comes out as `model` or `inputs` is the framework's own."""

    def __init__(self, source: Path) -> None:
        self.framework = import_file(source.with_name("framework.py"))
        self.module = import_file(source)

    def load(self, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
        """Turn mapped tensors into the framework's."""
        return {name: self.framework.load(array) for name, array in arrays.items()}

    def build(self, job: SimpleNamespace, weights: dict[str, Any]) -> Any:
        """Give the model with its initial weights."""
        return self.module.build(job, weights)

    def train(self, model: Any, inputs: Any, labels: Any, batches: Any) -> np.ndarray:
        """Make one optimizer step for each batch and give the losses."""
        return self.framework.fetch(self.module.train(model, inputs, labels, batches))

    def predict(self, model: Any, inputs: Any) -> np.ndarray:
        """Give the outputs for all inputs."""
        return self.framework.fetch(self.module.predict(model, inputs))


def import_file(path: Path) -> ModuleType:
    """Import a Python file by its path, as a module of its name; its folder does not become part of the search path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
