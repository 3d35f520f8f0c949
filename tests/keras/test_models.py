"""Keras's models on each backend: verified, from one source, in a process that imports no other framework."""

from pathlib import Path
from typing import Any

import pytest
from rosetta.languages import discover
from rosetta.models import MODELS
from rosetta.referee import judge, read_reference

from tests.mutants.bench import PYTHON, ROOT, Mutant, run_apart

pytest.importorskip("keras")

BACKENDS = {"keras-tensorflow": "tensorflow", "keras-torch": "torch", "keras-jax": "jax"}

# Each backend and each model is tried, not each pair: the others compile for long, and `make table` verifies them.
UNTRIED = {"keras-tensorflow": ["resnet50"], "keras-jax": ["cnn"]}

PREDICT = "model.predict(test_data(inputs, model.batch_size), verbose=0)"
PADDING = "ZeroPadding2D(size // 2)"
SAME_PADDING = "ZeroPadding2D(((size // 2 - stride // 2, size // 2),) * 2)"


def mutant(model: str, name: str, old: str, new: str) -> Mutant:
    return Mutant(model, name, old, new, framework="keras-torch")


# Tried on PyTorch, since nothing has to be compiled there.
CAUGHT = {
    mutant.name: mutant
    for mutant in (
        mutant("cnn", "channels first", ".transpose(2, 1, 0).reshape(6400", ".reshape(512, 6400).T.reshape(6400"),
        mutant("cnn", "dropout in prediction", PREDICT, "keras.ops.convert_to_numpy(model(inputs, training=True))"),
        mutant("gru", "gates in PyTorch's order", "[update, reset, new]", "[reset, update, new]"),
        mutant("gru", "the default epsilon of Adam", "job.epsilon)", "1e-7)"),
        mutant("resnet50", "strides padded on one side", PADDING, SAME_PADDING),
        mutant("resnet50", "the default epsilon of batch norm", "epsilon=job.batch_norm_epsilon", "epsilon=1e-3"),
    )
}


@pytest.fixture(scope="module", params=BACKENDS)
def framework(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(BACKENDS[request.param])
    return str(request.param)


@pytest.fixture(scope="module")
def answers(framework: str, prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    sources = {model: (model, (PYTHON / "keras" / f"{model}.py").read_text(encoding="utf-8")) for model in MODELS}
    for model in UNTRIED.get(framework, ()):
        del sources[model]
    if framework == "keras-torch":
        sources |= {name: (mutant.model, mutant.source()) for name, mutant in CAUGHT.items()}
    return run_apart(framework, sources, prepared, tmp_path_factory.mktemp(framework))


def verified(
    framework: str, model: str, prepared: Path, record: dict[str, Any], precision: str = "float32"
) -> tuple[str, str]:
    declared = discover(ROOT)["python"].frameworks[framework]
    deviation = declared.deviations.get(model)
    verdict = judge(read_reference(prepared, model), precision, declared.adam, record, deviation)
    return verdict.verified, verdict.reason


@pytest.mark.parametrize("model", MODELS)
def test_the_model_is_verified(model: str, framework: str, answers: dict[str, Any], prepared: Path) -> None:
    if model in UNTRIED.get(framework, ()):
        pytest.skip("it compiles for long; `make table` verifies it")
    expected = "deviates" if (framework, model) == ("keras-tensorflow", "gru") else "yes"
    found, reason = verified(framework, model, prepared, answers[model])
    assert found == expected, reason


@pytest.mark.parametrize(
    ("framework", "model", "settings"),
    [
        ("keras-tensorflow", "cnn", {"precision": "bf16"}),
        ("keras-tensorflow", "gru", {"compile": True}),
        ("keras-torch", "gru", {"precision": "bf16"}),
        ("keras-torch", "cnn", {"compile": True}),
        ("keras-jax", "gru", {"precision": "bf16"}),
    ],
    indirect=["framework"],
)
def test_an_option_is_verified(
    framework: str, model: str, settings: dict[str, Any], prepared: Path, tmp_path: Path
) -> None:
    source = (PYTHON / "keras" / f"{model}.py").read_text(encoding="utf-8")
    record = run_apart(framework, {model: (model, source)}, prepared, tmp_path, **settings)[model]
    expected = "deviates" if (framework, model) == ("keras-tensorflow", "gru") else "yes"
    precision = settings.get("precision", "float32")
    assert record["precision"] == precision
    found, reason = verified(framework, model, prepared, record, precision)
    assert found == expected, reason


def test_no_other_framework_is_imported(framework: str, answers: dict[str, Any]) -> None:
    # JAX is not asked about: Keras itself imports it on all backends, for its OrbaxCheckpoint.
    others = {"tensorflow", "torch"} - {BACKENDS[framework]}
    assert not others & set(answers["modules"])


@pytest.mark.parametrize("framework", ["keras-torch"], indirect=True)
@pytest.mark.parametrize("name", CAUGHT)
def test_a_mistake_is_caught(name: str, framework: str, answers: dict[str, Any], prepared: Path) -> None:
    found, reason = verified(framework, CAUGHT[name].model, prepared, answers[name])
    assert found == "no", reason
