"""The three models as the runner knows them: hyperparameters and check. docs/models.md describes them in full."""

from dataclasses import dataclass
from typing import Any

# ImageNet's mean and deviation of pixels in 0..1 (red, green, blue), as in torchvision's documentation of its weights.
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_DEVIATION = (0.229, 0.224, 0.225)


@dataclass(frozen=True)
class Model:
    """One of the three models.

    Attributes:
        name: as in file names and the table.
        task: what one example is, for people.
        trains: whether it is trained; if not, it only extracts features.
        hyperparameters: what a job carries; `batch_size` in examples.
        check_hyperparameters: what differs while the check trains: dropout off, so that all rows compute the same.
        check_examples: how many examples the check predicts; no multiple of the batch, so that a partial batch is seen.
        check_steps: optimizer steps of the check (0 = forward only).
        outputs: logits or features for each example.
        target_accuracy: of the test set, the low end of what the systems of 2018 reached on the real data set; None
            where nothing is classified.
    """

    name: str
    task: str
    trains: bool
    hyperparameters: dict[str, Any]
    check_hyperparameters: dict[str, Any]
    check_examples: int
    check_steps: int
    outputs: int
    target_accuracy: float | None


CNN = Model(
    name="cnn",
    task="train an image classifier",
    trains=True,
    hyperparameters={
        "batch_size": 64,
        "learning_rate": 0.01,
        "momentum": 0.9,
        "dropout_conv": 0.25,
        "dropout_dense": 0.5,
    },
    check_hyperparameters={"dropout_conv": 0.0, "dropout_dense": 0.0},
    check_examples=2 * 64 + 7,
    check_steps=5,
    outputs=10,
    target_accuracy=0.75,
)

RESNET50 = Model(
    name="resnet50",
    task="extract image features",
    trains=False,
    hyperparameters={
        "batch_size": 32,
        "mean": list(IMAGENET_MEAN),
        "deviation": list(IMAGENET_DEVIATION),
        "batch_norm_epsilon": 1e-5,
    },
    check_hyperparameters={"batch_size": 8},
    check_examples=12,
    check_steps=0,
    outputs=2048,
    target_accuracy=None,
)

GRU = Model(
    name="gru",
    task="train a sentiment classifier",
    trains=True,
    hyperparameters={
        "batch_size": 64,
        "learning_rate": 1e-3,
        "beta1": 0.9,
        "beta2": 0.999,
        "epsilon": 1e-8,
    },
    check_hyperparameters={},
    check_examples=2 * 64 + 7,
    check_steps=5,
    outputs=2,
    target_accuracy=0.84,
)

MODELS = {model.name: model for model in (CNN, RESNET50, GRU)}
