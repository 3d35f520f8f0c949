"""Are the rows of JAX and ONNX Runtime as fast as the shortest loop written by hand?

    .venv/bin/python benchmarks/jax_onnxruntime.py [CASE]...

Cases: cnn, gru, resnet50, onnxruntime, export-cnn, export-gru, export-resnet50.

Each pair takes turns in one process on the same batches; above 1 the row is slower. By hand means: the
same model in one `jax.jit`, its state passed in and out (the least Flax can cost), or one session's `run` in a loop.
`export-...` compares ONNX Runtime's row with a session on the graph that PyTorch exports from its own row's model.
CPU time is printed beside wall time: on a busy machine it is the steadier of the two.
"""

import functools
import statistics
import sys
import time
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

REPEATS = 15
STEPS = {"cnn": 2, "gru": 4, "resnet50": 1}

Work = Callable[[], Any]


def loaded(framework: str, model: str) -> tuple[ModuleType, SimpleNamespace, dict[str, np.ndarray]]:
    """A row's module, its job on two threads and its initial weights."""
    settings = {"device": "cpu", "precision": "float32", "compile": False, "threads": 2, "seed": 1}
    job = SimpleNamespace(**settings, **MODELS[model].hyperparameters)
    import_file(PYTHON / framework / "framework.py").configure(job)
    return import_file(PYTHON / framework / f"{model}.py"), job, draw(model, seed=1)


def data(model: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, labels and batches of a turn."""
    random = np.random.default_rng(1)
    count = STEPS[model] * MODELS[model].hyperparameters["batch_size"]
    if model == "gru":
        inputs = random.integers(0, 30_000, (count, 150), dtype=np.int32)
    else:
        side = 32 if model == "cnn" else 224
        inputs = random.integers(0, 256, (count, 3, side, side), dtype=np.uint8)
    return inputs, random.integers(0, 2, count), random.permutation(count).reshape(STEPS[model], -1)


def training(model: str) -> dict[str, Work]:
    """A turn of training, by the row and by hand."""
    import jax
    import optax
    from flax import nnx

    module, job, weights = loaded("jax", model)
    inputs, labels, batches = data(model)
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

    return {"row": lambda: np.asarray(module.train(built, inputs, labels, batches)), "by hand": loop}


def features() -> dict[str, Work]:
    """A turn of JAX's prediction, by the row and by hand."""
    import jax
    from flax import nnx

    module, job, weights = loaded("jax", "resnet50")
    inputs, _, _ = data("resnet50")
    built = module.build(job, weights)
    model = nnx.eval_shape(lambda: module.ResNet50(job))
    nnx.update(model, module.parameters(weights))
    graph, values = nnx.split(model)
    compiled = jax.jit(lambda values, images: nnx.merge(graph, values)(images))
    return {
        "row": lambda: np.asarray(module.predict(built, inputs)),
        "by hand": lambda: np.asarray(compiled(values, inputs)),
    }


def session() -> dict[str, Work]:
    """A turn of ONNX Runtime's prediction, by the row and by hand."""
    module, job, weights = loaded("onnxruntime", "resnet50")
    inputs, _, _ = data("resnet50")
    built = module.build(job, weights)
    return {
        "row": lambda: module.predict(built, inputs),
        "by hand": lambda: built.session.run(None, {"inputs": inputs}),
    }


def export(model: str) -> dict[str, Work]:
    """A turn of ONNX Runtime's prediction, by the row's own graph and by the one that PyTorch exports."""
    import onnxruntime
    import torch

    module, job, weights = loaded("onnxruntime", model)
    inputs, _, _ = data(model)
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
    return {"row": lambda: module.predict(built, inputs), "by hand": lambda: module.predict(exported, inputs)}


def compare(name: str, pair: dict[str, Work]) -> None:
    """Let both take turns and print the ratio of their medians and minima."""
    seconds: dict[str, list[tuple[float, float]]] = {who: [] for who in pair}
    for work in pair.values():
        work()  # compiles
    for repeat in range(REPEATS):
        order = list(pair) if repeat % 2 else list(pair)[::-1]
        for who in order:
            wall, cpu = time.perf_counter(), time.process_time()
            pair[who]()
            seconds[who].append((time.perf_counter() - wall, time.process_time() - cpu))
    for kind, clock in enumerate(("wall", "CPU")):
        row, hand = ([times[kind] for times in seconds[who]] for who in ("row", "by hand"))
        medians, minima = statistics.median(row) / statistics.median(hand), min(row) / min(hand)
        print(f"{name:15} {clock:4} median {medians:.3f}  minimum {minima:.3f}  ({1000 * min(row):.0f} ms)", flush=True)


def main(names: list[str]) -> None:
    cases: dict[str, Callable[[], dict[str, Work]]] = {
        "cnn": lambda: training("cnn"),
        "gru": lambda: training("gru"),
        "resnet50": features,
        "onnxruntime": session,
        **{f"export-{model}": functools.partial(export, model) for model in MODELS},
    }
    for name in names or cases:
        compare(name, cases[name]())


if __name__ == "__main__":
    main(sys.argv[1:])
