"""A run's job, put together from its settings and the sheets of the prepared tensors."""

from pathlib import Path
from typing import Any

from rosetta.languages import Framework, Language, Row
from rosetta.models import MODELS
from rosetta.tensors import Sheet, Tensor

CONTRACT = 1


def compose(language: Language, framework: Framework, row: Row, settings: dict[str, Any], shared_data: Path) -> dict:
    """The job that job.schema.json describes.

    Args:
        settings: as made by `Plan.run`.
        shared_data: the folder of the sheets.

    Raises:
        RosettaError: a sheet is missing or broken.
    """
    model = MODELS[row.model]
    data = Sheet.read(shared_data / f"{row.model}.json").tensors
    reference = Sheet.read(shared_data / "reference" / f"{row.model}.json").tensors
    tensors = {"test_inputs": _first(data, "test_inputs", settings["test_examples"])}
    check = {"inputs": reference["inputs"]}
    epochs = 0
    if model.trains and framework.trains:
        check |= {"labels": reference["labels"], "batches": reference["batches"]}
        tensors["test_labels"] = _first(data, "test_labels", settings["test_examples"])
        tensors["train_inputs"] = data["train_inputs"]
        tensors["train_labels"] = data["train_labels"]
        tensors["batches"] = Sheet.read(shared_data / "batches" / f"{row.model}.json").tensors["batches"]
        epochs = tensors["batches"].shape[0]
    return {
        "contract": CONTRACT,
        "language": row.language,
        "framework": row.framework,
        "model": row.model,
        "bridge": row.bridge,
        "source": str(language.source(framework, row.model).resolve()),
        "packages": list(framework.packages),
        "device": settings["device"],
        "precision": settings["precision"],
        "compile": settings["compile"],
        "threads": settings["threads"],
        "seed": settings["seed"],
        "epochs": epochs,
        "evaluate": settings["evaluate"],
        "hyperparameters": model.hyperparameters,
        "tensors": _spelled(tensors),
        "weights": _spelled(Sheet.read(shared_data / "weights" / f"{row.model}.json").tensors),
        "check": {"hyperparameters": {**model.hyperparameters, **model.check_hyperparameters}, **_spelled(check)},
    }


def _first(tensors: dict[str, Tensor], name: str, examples: int | str | None) -> Tensor:
    tensor = tensors[name]
    return tensor if examples in (None, "all") else tensor.rows(0, int(examples))


def _spelled(tensors: dict[str, Tensor]) -> dict[str, Any]:
    return {name: tensor.as_json() for name, tensor in tensors.items()}
