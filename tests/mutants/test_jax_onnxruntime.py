"""The referee bites: mistakes put into JAX's and ONNX Runtime's files are caught, the files themselves are verified."""

from pathlib import Path

import pytest
from rosetta.models import MODELS
from rosetta.referee import Verdict, judge, read_reference

from tests.mutants.bench import PYTHON, Mutant, run

POOL = "padding=((1, 1), (1, 1))"
RESET = "new_x + reset * new_h"

CAUGHT = [
    Mutant("cnn", "flattened with channels first", ".transpose(0, 2, 3, 1).reshape(512", ".reshape(512", "jax"),
    Mutant("cnn", "momentum of Nesterov", "job.momentum)", "job.momentum, nesterov=True)", "jax"),
    Mutant("gru", "reset gate left out", RESET, "new_x + new_h", "jax"),
    Mutant("gru", "reset gate on both products", RESET, "reset * (new_x + new_h)", "jax"),
    Mutant("gru", "gates in another order", "reset_x, update_x, new_x =", "update_x, reset_x, new_x =", "jax"),
    Mutant("gru", "words read backwards", "self.embedding(words.T)", "self.embedding(words.T[::-1])", "jax"),
    Mutant("gru", "epsilon before the root", "job.epsilon)", "0, job.epsilon)", "jax"),
    Mutant("resnet50", "maximum pool padded on one side", POOL, 'padding="SAME"', "jax"),
    Mutant("resnet50", "strides padded on one side", '"padding": size // 2', '"padding": "SAME"', "jax"),
    Mutant("resnet50", "the default epsilon", "job.batch_norm_epsilon", "1e-3", "onnxruntime"),
    Mutant(
        "resnet50",
        "stride in the first 1x1",
        "Convolution(inputs, width, 1, 1)\n        self.bn1 = BatchNorm(width, epsilon)\n"
        "        self.conv2 = Convolution(width, width, 3, stride)",
        "Convolution(inputs, width, 1, stride)\n        self.bn1 = BatchNorm(width, epsilon)\n"
        "        self.conv2 = Convolution(width, width, 3, 1)",
        "onnxruntime",
    ),
    Mutant("resnet50", "padded on one side", "pads=[1, 1, 1, 1]", "pads=[0, 0, 1, 1]", "onnxruntime"),
    Mutant("resnet50", "pixels not centred", "op.Sub(x, ", "op.Identity(x) or (", "onnxruntime"),
    Mutant("cnn", "ReLU left out", "op.Relu(self.conv1(op, x))", "self.conv1(op, x)", "onnxruntime"),
    Mutant("cnn", "pixels not scaled", "255.0)", "1.0)", "onnxruntime"),
    Mutant("gru", "reset gate before the product", "linear_before_reset=1", "linear_before_reset=0", "onnxruntime"),
    Mutant("gru", "words read backwards", "linear_before", 'direction="reverse", linear_before', "onnxruntime"),
    Mutant("gru", "gates in another order", "te([update, reset", "te([reset, update", "onnxruntime"),
    Mutant(
        "gru",
        "the two biases exchanged",
        '("gru.bias_ih_l0", "gru.bias_hh_l0")',
        '("gru.bias_hh_l0", "gru.bias_ih_l0")',
        "onnxruntime",
    ),
    Mutant("resnet50", "ReLU after the addition left out", "op.Relu(op.Add(y, x))", "op.Add(y, x)", "onnxruntime"),
    Mutant("resnet50", "maximum instead of average", "op.GlobalAveragePool", "op.GlobalMaxPool", "onnxruntime"),
]


def judged(framework: str, model: str, source: str, prepared: Path, folder: Path) -> Verdict:
    pytest.importorskip(framework)
    source = source.replace('"batch", 3, 224, 224', '"batch", 3, 64, 64')  # photographs are smaller here
    record = run(model, source, prepared, folder, framework=framework)
    reference = read_reference(prepared, model)
    return judge(
        reference.untrained() if framework == "onnxruntime" else reference, "float32", "bias_corrected", record
    )


@pytest.mark.parametrize(
    ("framework", "model"), [(framework, model) for framework in ("jax", "onnxruntime") for model in MODELS]
)
def test_the_implementation_is_verified(framework: str, model: str, prepared: Path, tmp_path: Path) -> None:
    source = (PYTHON / framework / f"{model}.py").read_text(encoding="utf-8")
    verdict = judged(framework, model, source, prepared, tmp_path)
    assert verdict.verified == "yes", verdict.reason


@pytest.mark.parametrize("mutant", CAUGHT, ids=lambda mutant: f"{mutant.framework} {mutant.model}: {mutant.name}")
def test_a_mistake_is_caught(mutant: Mutant, prepared: Path, tmp_path: Path) -> None:
    verdict = judged(mutant.framework, mutant.model, mutant.source(), prepared, tmp_path)
    assert verdict.verified == "no", verdict.reason
