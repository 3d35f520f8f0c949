"""Are the rows of JAX and ONNX Runtime as fast as the shortest loop written by hand?

    .venv/bin/python benchmarks/jax_onnxruntime.py [CASE]...

Cases: cnn, gru, resnet50, onnxruntime, export-cnn, export-gru, export-resnet50.

Each pair takes turns in one process on the same batches; above 1 the row is slower. By hand means: the
same model in one `jax.jit`, its state passed in and out (the least Flax can cost), or one session's `run` in a loop.
`export-...` compares ONNX Runtime's row with a session on the graph that PyTorch exports from its own row's model.
CPU time is printed beside wall time: on a busy machine it is the steadier of the two. The exit code is 1 if a row
surely takes more than 2 % longer than by hand.
"""

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

PYTHON = Path(__file__).resolve().parents[1] / "python"
sys.path.insert(0, str(PYTHON))

from harness.implementation import import_file  # noqa: E402 (the path comes first)
from rosetta.models import MODELS  # noqa: E402
from rosetta.weights import draw  # noqa: E402

from turns import BAR, BY_HAND, Work, compare, data, in_batches  # noqa: E402 isort: skip

TURNS = 9
STEPS = {"cnn": 40, "gru": 60, "resnet50": 3}


def loaded(framework: str, model: str) -> tuple[ModuleType, SimpleNamespace, dict[str, np.ndarray]]:
    """A row's module, its job on two threads and its initial weights."""
    settings = {"device": "cpu", "precision": "float32", "compile": False, "threads": 2, "seed": 1}
    job = SimpleNamespace(**settings, **MODELS[model].hyperparameters)
    import_file(PYTHON / framework / "framework.py").configure(job)
    return import_file(PYTHON / framework / f"{model}.py"), job, draw(model, seed=1)


def training(model: str) -> dict[str, Work]:
    """A turn of training, by the row and by hand."""
    import jax
    import optax
    from flax import nnx

    module, job, weights = loaded("jax", model)
    inputs, labels, batches = data(model, STEPS[model]).values()
    built = module.build(job, weights)

    by_hand = nnx.eval_shape(lambda: module.CNN(job, nnx.Rngs(0)) if model == "cnn" else module.GRU(job, nnx.Rngs(0)))
    nnx.update(by_hand, module.parameters(weights))
    graph, values = nnx.split(by_hand)
    optimizer = (
        optax.sgd(job.learning_rate, job.momentum)
        if model == "cnn"
        else optax.adam(job.learning_rate, job.beta1, job.beta2, job.epsilon)
    )
    state = [values, optimizer.init(values), jax.random.key(1)]

    @functools.partial(jax.jit, donate_argnums=(0, 1, 2))
    def step(values: Any, moments: Any, key: Any, inputs: Any, labels: Any) -> Any:
        now, later = jax.random.split(key)

        def loss_of(values: Any) -> Any:
            rngs = (nnx.Rngs(now),) if model == "cnn" else ()
            logits = nnx.merge(graph, values)(inputs, *rngs)
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

        loss, gradients = jax.value_and_grad(loss_of)(values)
        updates, moments = optimizer.update(gradients, moments, values)
        return loss, optax.apply_updates(values, updates), moments, later

    def loop() -> Any:
        losses = []
        for batch in batches:
            loss, *state[:] = step(*state, inputs[batch], labels[batch])
            losses.append(loss)
        return np.asarray(jax.numpy.stack(losses))

    return {"row": lambda: np.asarray(module.train(built, inputs, labels, batches)), BY_HAND: loop}


def features() -> dict[str, Work]:
    """A turn of JAX's prediction, by the row and by hand."""
    import jax
    from flax import nnx

    module, job, weights = loaded("jax", "resnet50")
    inputs = data("resnet50", STEPS["resnet50"])["inputs"]
    built = module.build(job, weights)
    model = nnx.eval_shape(lambda: module.ResNet50(job))
    nnx.update(model, module.parameters(weights))
    graph, values = nnx.split(model)
    compiled = jax.jit(lambda values, images: nnx.merge(graph, values)(images))
    return {
        "row": lambda: np.asarray(module.predict(built, inputs)),
        BY_HAND: lambda: [np.asarray(compiled(values, images)) for images in in_batches(inputs, job.batch_size)],
    }


def session() -> dict[str, Work]:
    """A turn of ONNX Runtime's prediction, by the row and by hand."""
    module, job, weights = loaded("onnxruntime", "resnet50")
    inputs = data("resnet50", STEPS["resnet50"])["inputs"]
    built = module.build(job, weights)
    return {
        "row": lambda: module.predict(built, inputs),
        BY_HAND: lambda: [built.session.run(None, {"inputs": images}) for images in in_batches(inputs, job.batch_size)],
    }


def export(model: str) -> dict[str, Work]:
    """A turn of ONNX Runtime's prediction, by the row's own graph and by the one that PyTorch exports."""
    import onnxruntime
    import torch

    module, job, weights = loaded("onnxruntime", model)
    inputs = data(model, STEPS[model])["inputs"]
    built = module.build(job, weights)
    origin = import_file(PYTHON / "pytorch" / f"{model}.py")
    origin = origin.build(job, {name: torch.from_numpy(weight) for name, weight in weights.items()}).eval()
    program = torch.onnx.export(
        origin,
        (torch.from_numpy(inputs[:2]),),
        input_names=["inputs"],
        dynamic_shapes=({0: torch.export.Dim("batch")},),
        dynamo=True,
        verbose=False,
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = job.threads
    session = onnxruntime.InferenceSession(program.model_proto.SerializeToString(), options)
    exported = SimpleNamespace(batch_size=job.batch_size, session=session)
    np.testing.assert_allclose(module.predict(built, inputs), module.predict(exported, inputs), rtol=1e-3, atol=1e-4)
    return {"row": lambda: module.predict(built, inputs), BY_HAND: lambda: module.predict(exported, inputs)}


def main(names: list[str]) -> None:
    cases: dict[str, Callable[[], dict[str, Work]]] = {
        "cnn": lambda: training("cnn"),
        "gru": lambda: training("gru"),
        "resnet50": features,
        "onnxruntime": session,
        **{f"export-{model}": functools.partial(export, model) for model in MODELS},
    }
    slow = [name for name in names or cases if not compare(name, cases[name](), TURNS)]
    if slow:
        sys.exit(f"Slower than {BAR} times the loop by hand: {', '.join(slow)}")


if __name__ == "__main__":
    main(sys.argv[1:])
