"""The referee bites: mistakes put into TensorFlow's files are caught, and the files themselves are verified."""

from pathlib import Path

import pytest
from rosetta.models import MODELS
from rosetta.referee import Verdict, judge, read_reference

from tests.mutants.bench import PYTHON, Mutant, run

pytest.importorskip("tensorflow")

GATES = "state_reset, state_update, state_new ="
STRIDED = "tf.nn.conv2d(x, self.kernel, self.stride, padding)"
POOL = 'x = tf.nn.max_pool2d(x, ksize=3, strides=2, padding="VALID")'

CAUGHT = [
    Mutant(
        "cnn",
        "flattened with channels first",
        "tf.transpose(tf.reshape(weights",
        "(lambda w, _: w)(tf.reshape(weights",
        "tensorflow",
    ),
    Mutant(
        "cnn", "dropout in prediction", "partial(model, training=False)", "partial(model, training=True)", "tensorflow"
    ),
    Mutant("gru", "gates in another order", GATES, "state_update, state_reset, state_new =", "tensorflow"),
    Mutant(
        "gru",
        "word ids shifted by one",
        "tf.transpose(words))",
        "tf.maximum(tf.transpose(words) - 1, 0))",
        "tensorflow",
    ),
    Mutant(
        "resnet50",
        "strides padded on one side",
        STRIDED,
        'tf.nn.conv2d(x, self.kernel, self.stride, "SAME")',
        "tensorflow",
    ),
    Mutant(
        "resnet50",
        "maximum pool padded on one side",
        POOL,
        POOL.replace("VALID", "SAME").replace("(x,", "(x[:, 1:-1, 1:-1],"),
        "tensorflow",
    ),
]


def judged(model: str, source: str, prepared: Path, folder: Path, adam: str = "epsilon_hat") -> Verdict:
    record = run(model, source, prepared, folder, framework="tensorflow")
    return judge(read_reference(prepared, model), "float32", adam, record)


@pytest.mark.parametrize("model", MODELS)
def test_the_implementation_is_verified(model: str, prepared: Path, tmp_path: Path) -> None:
    source = (PYTHON / "tensorflow" / f"{model}.py").read_text(encoding="utf-8")
    verdict = judged(model, source, prepared, tmp_path)
    assert verdict.verified == "yes", verdict.reason


@pytest.mark.parametrize("mutant", CAUGHT, ids=lambda mutant: f"{mutant.model}: {mutant.name}")
def test_a_mistake_is_caught(mutant: Mutant, prepared: Path, tmp_path: Path) -> None:
    verdict = judged(mutant.model, mutant.source(), prepared, tmp_path)
    assert verdict.verified == "no", verdict.reason


def test_adam_declared_as_the_other_form_is_named(prepared: Path, tmp_path: Path) -> None:
    source = (PYTHON / "tensorflow" / "gru.py").read_text(encoding="utf-8")
    verdict = judged("gru", source, prepared, tmp_path, adam="bias_corrected")
    assert verdict.verified == "no"
    assert "adam: epsilon_hat" in verdict.reason
