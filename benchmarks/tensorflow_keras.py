"""Are the rows of TensorFlow and Keras as fast as the shortest loop written by hand, and are their defaults the best?

    .venv/bin/python benchmarks/tensorflow_keras.py [--threads N] [--steps N] [--turns N] [--xla] [FRAMEWORK/MODEL]...

All ways of a row take turns in one process on the same batches; figures are shares of the loop by hand, so above 1 is
slower than it. By hand means the backend's own loop around the same model: for Keras without `fit` and `predict`.
CPU time is printed beside wall time: on a busy machine it is the steadier of the two. The exit code is 1 if a row
surely takes more than 2 % longer than by hand.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
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

FRAMEWORKS = ("tensorflow", "keras-tensorflow", "keras-torch", "keras-jax")
STEPS = {"cnn": 40, "gru": 60, "resnet50": 3}  # in a turn; an epoch of the real sets has 781 and 312

Arrays = dict[str, np.ndarray]


def load(
    framework: str, model: str, options: argparse.Namespace
) -> tuple[ModuleType, ModuleType, SimpleNamespace, Any, Arrays]:
    """The framework's file and the model's, the job, its weights, and inputs, labels and batches as NumPy has them."""
    folder = PYTHON / framework.split("-")[0]
    settings = {"device": "cpu", "precision": "float32", "compile": False, "threads": options.threads, "seed": 1}
    job = SimpleNamespace(**settings, **MODELS[model].hyperparameters)
    base = import_file(folder / "framework.py")
    base.configure(job)
    weights = {name: base.load(weight) for name, weight in draw(model, seed=1).items()}
    return base, import_file(folder / f"{model}.py"), job, weights, data(model, options.steps or STEPS[model])


def tensorflow(model: str, options: argparse.Namespace) -> dict[str, Work]:
    """TensorFlow: the row, the same step in a bare loop, and with `--xla` that step with XLA switched."""
    import tensorflow as tf

    base, module, job, weights, arrays = load("tensorflow", model, options)
    inputs, labels, batches = (base.load(array) for array in arrays.values())
    built = module.build(job, weights)

    def functions(built: Any) -> tuple[Any, bool]:
        function = built.predict_step if model == "resnet50" else built.train_step
        return function.python_function, bool(function._jit_compile)

    def loop(step: Any) -> Work:
        if model == "resnet50":
            return lambda: [step(images) for images in in_batches(inputs, job.batch_size)]
        return lambda: tf.stack([step(tf.gather(inputs, batch), tf.gather(labels, batch)) for batch in batches]).numpy()

    python_function, compiled = functions(built)
    works = {
        "row": lambda: (
            module.predict(built, inputs).numpy()
            if model == "resnet50"
            else module.train(built, inputs, labels, batches).numpy()
        ),
        BY_HAND: loop(tf.function(python_function, jit_compile=compiled)),
    }
    if options.xla:
        other, _ = functions(module.build(job, weights))
        works[f"jit_compile={not compiled}"] = loop(tf.function(other, jit_compile=not compiled))
    return works


def keras(framework: str, model: str, options: argparse.Namespace) -> dict[str, Work]:
    """Keras: the row, the backend's own loop on the same model, and with `--xla` TensorFlow's row with XLA switched."""
    base, module, job, weights, arrays = load(framework, model, options)
    inputs, labels, batches = arrays.values()
    loaded = [base.load(array) for array in arrays.values()]

    def row(built: Any) -> Work:
        if model == "resnet50":
            return lambda: module.predict(built, loaded[0])
        return lambda: module.train(built, *loaded)

    def batched() -> Iterator[tuple[np.ndarray, np.ndarray]]:
        yield from ((inputs[batch], labels[batch]) for batch in batches)

    loops = {"tensorflow": loop_tensorflow, "torch": loop_torch, "jax": loop_jax}
    ours, theirs = module.build(job, weights), module.build(job, weights)
    works = {"row": row(ours), BY_HAND: loops[base.BACKEND](theirs, model, batched)}
    if options.xla and base.BACKEND == "tensorflow":
        switched = module.build(job, weights)
        switched.jit_compile = not ours.jit_compile
        works[f"jit_compile={switched.jit_compile}"] = row(switched)
    return works


def loop_tensorflow(built: Any, model: str, batched: Callable[[], Iterator[Any]]) -> Work:
    import tensorflow as tf

    if model == "resnet50":
        features = tf.function(lambda images: built(images, training=False), jit_compile=built.jit_compile)
        return lambda: [features(images).numpy() for images, _ in batched()]

    @tf.function(jit_compile=built.jit_compile)
    def step(inputs: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = built.loss(labels, built(inputs, training=True))
        built.optimizer.apply(tape.gradient(loss, built.trainable_weights), built.trainable_weights)
        return loss

    return lambda: tf.stack([step(tf.constant(inputs), tf.constant(labels)) for inputs, labels in batched()]).numpy()


def loop_torch(built: Any, model: str, batched: Callable[[], Iterator[Any]]) -> Work:
    import torch

    def features() -> Any:
        with torch.no_grad():
            return [built(torch.from_numpy(images), training=False).numpy() for images, _ in batched()]

    if model == "resnet50":
        return features
    weights = [weight.value for weight in built.trainable_weights]

    def step(inputs: np.ndarray, labels: np.ndarray) -> Any:
        built.zero_grad()
        loss = built.loss(torch.from_numpy(labels), built(torch.from_numpy(inputs), training=True))
        loss.backward()
        with torch.no_grad():
            built.optimizer.apply([weight.grad for weight in weights], built.trainable_weights)
        return loss.detach()

    return lambda: torch.stack([step(inputs, labels) for inputs, labels in batched()]).numpy()


def loop_jax(built: Any, model: str, batched: Callable[[], Iterator[Any]]) -> Work:
    import jax

    fixed = [weight.value for weight in built.non_trainable_variables]
    if model == "resnet50":
        trained = [weight.value for weight in built.trainable_variables]
        features = jax.jit(lambda *weights, images: built.stateless_call(*weights, images, training=False)[0])
        return lambda: [np.asarray(features(trained, fixed, images=images)) for images, _ in batched()]

    def loss_of(trained: Any, fixed: Any, inputs: Any, labels: Any) -> Any:
        logits, fixed = built.stateless_call(trained, fixed, inputs, training=True)
        return built.loss(labels, logits), fixed

    def step(trained: Any, fixed: Any, moments: Any, inputs: Any, labels: Any) -> Any:
        (loss, fixed), gradients = jax.value_and_grad(loss_of, has_aux=True)(trained, fixed, inputs, labels)
        trained, moments = built.optimizer.stateless_apply(moments, gradients, trained)
        return loss, trained, fixed, moments

    compiled = jax.jit(step, donate_argnums=(0, 1, 2))
    built.optimizer.build(built.trainable_variables)
    state = [
        [weight.value.copy() for weight in variables]
        for variables in (built.trainable_variables, built.non_trainable_variables, built.optimizer.variables)
    ]

    def loop() -> Any:
        losses = []
        for inputs, labels in batched():
            loss, *state[:] = compiled(*state, inputs, labels)
            losses.append(loss)
        return np.asarray(jax.numpy.stack(losses))

    return loop


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="FRAMEWORK/MODEL")
    parser.add_argument("--steps", type=int, help=f"batches in a turn (default: {STEPS})")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--turns", type=int, default=9, help="turns of each way")
    parser.add_argument("--xla", action="store_true", help="time TensorFlow's way with XLA switched, too")
    options = parser.parse_args()
    rows = options.rows or [f"{framework}/{model}" for framework in FRAMEWORKS for model in MODELS]
    if len(rows) > 1:  # each in a process of its own: a process has one backend
        asked = [word for word in sys.argv[1:] if word not in rows]
        slow = [row for row in rows if subprocess.run([sys.executable, __file__, *asked, row]).returncode]
        if slow:
            sys.exit(f"Slower than {BAR} times the loop by hand: {', '.join(slow)}")
        return
    framework, model = rows[0].split("/")
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    if framework == "tensorflow":
        works = tensorflow(model, options)
    else:
        os.environ["KERAS_BACKEND"] = framework.removeprefix("keras-")
        works = keras(framework, model, options)
    if not compare(rows[0], works, options.turns):
        sys.exit(f"{rows[0]} is slower than {BAR} times the loop by hand")


if __name__ == "__main__":
    main()
