"""What Keras needs that is the same for all models, on the backend that KERAS_BACKEND names."""

import os
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import keras
import numpy as np
from harness.errors import UnavailableError
from keras import KerasTensor as Tensor

BACKEND = keras.backend.backend()
if BACKEND == "tensorflow":
    import tensorflow as tf

    # For tf.data: the thread that tunes it often misses that the data have ended, and the end of an epoch or of a
    # prediction then waits until the thread next wakes: up to as long again as it all took.
    UNTUNED = tf.data.Options()
    UNTUNED.autotune.enabled = False
elif BACKEND == "torch":
    import torch
else:
    import jax


def configure(job: SimpleNamespace) -> None:
    """Set device, threads, precision and memory growth, each as the backend has it."""
    if job.device == "cpu" and job.precision == "tf32":
        raise UnavailableError("TF32 is a number format of CUDA devices. Choose precision: float32 or bf16 on the CPU.")
    # PyTorch extracts ResNet-50's features 1.2 times as fast with channels first; the others want them last.
    keras.config.set_image_data_format("channels_first" if BACKEND == "torch" else "channels_last")
    {"tensorflow": configure_tensorflow, "torch": configure_torch, "jax": configure_jax}[BACKEND](job)
    if job.precision == "bf16":
        keras.config.set_dtype_policy("mixed_bfloat16")


def configure_tensorflow(job: SimpleNamespace) -> None:
    gpus = tf.config.list_physical_devices("GPU")
    if job.device == "cuda" and not gpus:
        raise UnavailableError("TensorFlow sees no GPU. Choose device: cpu, or install tensorflow[and-cuda].")
    tf.config.set_visible_devices(gpus[:1] if job.device == "cuda" else [], "GPU")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    tf.config.threading.set_intra_op_parallelism_threads(job.threads)
    tf.config.threading.set_inter_op_parallelism_threads(job.threads)
    tf.config.experimental.enable_tensor_float_32_execution(job.precision == "tf32")


def configure_torch(job: SimpleNamespace) -> None:
    if job.device == "cuda" and not torch.cuda.is_available():
        raise UnavailableError("PyTorch sees no CUDA device. Choose device: cpu, or install a CUDA build of torch.")
    torch.set_num_threads(job.threads)
    torch.backends.cuda.matmul.allow_tf32 = job.precision == "tf32"
    torch.backends.cudnn.allow_tf32 = job.precision == "tf32"
    torch.backends.cudnn.benchmark = True


def configure_jax(job: SimpleNamespace) -> None:
    os.environ["PJRT_NPROC"] = str(job.threads)  # read when JAX first sees its devices
    jax.config.update("jax_platforms", job.device)
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if job.precision == "tf32" else "highest")
    try:
        jax.devices()
    except RuntimeError as error:
        raise UnavailableError(
            f"JAX sees no {job.device} device. Choose device: cpu, or install jax[cuda12]. ({error})"
        ) from None


def load(array: np.ndarray) -> Any:
    """Weights and data as NumPy's mapped arrays; for TensorFlow data are tensors in host memory, copied here once."""
    if BACKEND == "tensorflow" and array.dtype != np.float32:
        with tf.device("CPU:0"):
            return tf.convert_to_tensor(array)
    return np.asarray(array)


def fetch(value: np.ndarray) -> np.ndarray:
    """A float32 array in host memory, as `fit`'s callback and `predict` have it already."""
    return np.asarray(value, np.float32)


def synchronize() -> None:
    """Wait until the device has finished."""
    if BACKEND == "tensorflow":
        tf.test.experimental.sync_devices()
    elif BACKEND == "torch" and torch.cuda.is_initialized():
        torch.cuda.synchronize()
    elif BACKEND == "jax":
        jax.block_until_ready(jax.live_arrays())


def describe(job: SimpleNamespace) -> dict[str, Any]:
    """Device, threads and precision as the backend reports them."""
    describe_backend = {"tensorflow": describe_tensorflow, "torch": describe_torch, "jax": describe_jax}[BACKEND]
    kind, name, threads, float32 = describe_backend(job)
    bf16 = keras.config.dtype_policy().compute_dtype == "bfloat16"
    return {
        "device": {"kind": kind, "name": name},
        "threads": threads,
        "precision": "bf16" if bf16 else float32,
    }


def describe_tensorflow(job: SimpleNamespace) -> tuple[str, str, int, str]:
    threads = tf.config.threading.get_intra_op_parallelism_threads()
    gpus = tf.config.get_visible_devices("GPU")
    if not gpus:
        return "cpu", "CPU", threads, "float32"
    name = tf.config.experimental.get_device_details(gpus[0])["device_name"]
    tf32 = tf.config.experimental.tensor_float_32_execution_enabled()
    return "cuda", name, threads, "tf32" if tf32 else "float32"


def describe_torch(job: SimpleNamespace) -> tuple[str, str, int, str]:
    if job.device == "cpu":
        return "cpu", f"CPU ({torch.backends.cpu.get_cpu_capability()})", torch.get_num_threads(), "float32"
    tf32 = torch.backends.cuda.matmul.allow_tf32
    return "cuda", torch.cuda.get_device_name(), torch.get_num_threads(), "tf32" if tf32 else "float32"


def describe_jax(job: SimpleNamespace) -> tuple[str, str, int, str]:
    device = jax.devices()[0]
    kind = "cpu" if device.platform == "cpu" else "cuda"
    # XLA tells nobody how many threads its pool has: counted by their names (Linux).
    names = [thread.read_text() for thread in Path("/proc/self/task").glob("*/comm")]
    threads = sum(name.startswith("tf_XLAEigen") for name in names) or job.threads
    tf32 = jax.config.jax_default_matmul_precision == "tensorfloat32"
    return kind, device.device_kind, threads, "tf32" if tf32 else "float32"


def training_data(inputs: Any, labels: Any, batches: Any) -> Iterable[Any]:
    """Inputs and labels of each batch in turn, for `fit`: a dataset for TensorFlow, a generator for the others."""
    if BACKEND != "tensorflow":
        return ((inputs[batch], labels[batch]) for batch in batches)
    data = tf.data.Dataset.from_tensor_slices(batches)
    data = data.map(lambda batch: (tf.gather(inputs, batch), tf.gather(labels, batch)))
    return data.prefetch(1).with_options(UNTUNED)


def test_data(inputs: Any, batch_size: int) -> Iterable[Any]:
    """Batches of inputs in turn, the last one with what is left, for `predict`."""
    if BACKEND != "tensorflow":
        return ((inputs[start : start + batch_size],) for start in range(0, len(inputs), batch_size))
    return tf.data.Dataset.from_tensor_slices(inputs).batch(batch_size).prefetch(1).with_options(UNTUNED)


class BatchLoss(keras.metrics.Metric):
    """The loss of the last batch; what Keras itself reports is the mean since the epoch began."""

    def __init__(self) -> None:
        super().__init__(name="batch_loss")
        self.cross_entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.value = self.add_variable((), "zeros", name="value")

    def update_state(self, y_true: Tensor, y_pred: Tensor, sample_weight: None = None) -> None:
        self.value.assign(self.cross_entropy(y_true, y_pred))

    def result(self) -> Tensor:
        return keras.ops.copy(self.value)


class LossHistory(keras.callbacks.Callback):
    """Keeps the loss of each batch."""

    async_safe = True  # Keras calls it from another thread, so no step waits for the loss of the one before

    def __init__(self, steps: int) -> None:
        super().__init__()
        self.losses = np.empty(steps, np.float32)

    def on_train_batch_end(self, batch: int, logs: dict[str, float]) -> None:
        self.losses[batch] = logs["batch_loss"]
