"""What TensorFlow needs that is the same for all models."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import tensorflow as tf
from harness.errors import UnavailableError

# For tf.data: the thread that tunes it often misses that the data have ended, and the end of an epoch or of a
# prediction then waits until the thread next wakes: up to as long again as it all took.
UNTUNED = tf.data.Options()
UNTUNED.autotune.enabled = False


def configure(job: SimpleNamespace) -> None:
    """Set device, memory growth, threads and precision."""
    gpus = tf.config.list_physical_devices("GPU")
    if job.device == "cuda" and not gpus:
        raise UnavailableError("TensorFlow sees no GPU. Choose device: cpu, or install tensorflow[and-cuda].")
    if job.device == "cpu" and job.precision == "tf32":
        raise UnavailableError("TF32 is a number format of CUDA devices. Choose precision: float32 on the CPU.")
    tf.config.set_visible_devices(gpus[:1] if job.device == "cuda" else [], "GPU")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)
    tf.config.threading.set_intra_op_parallelism_threads(job.threads)
    tf.config.threading.set_inter_op_parallelism_threads(job.threads)
    tf.config.experimental.enable_tensor_float_32_execution(job.precision == "tf32")


def load(array: np.ndarray) -> tf.Tensor:
    """A tensor in host memory."""
    with tf.device("CPU:0"):
        return tf.convert_to_tensor(array)


def fetch(value: tf.Tensor) -> np.ndarray:
    """A float32 array in host memory."""
    return tf.cast(value, tf.float32).numpy()


def synchronize() -> None:
    """Wait until the GPU, where one is in use, has finished."""
    tf.test.experimental.sync_devices()


def describe(job: SimpleNamespace) -> dict[str, Any]:
    """Device, threads and precision as TensorFlow reports them."""
    gpus = tf.config.get_visible_devices("GPU")
    if gpus:
        name = tf.config.experimental.get_device_details(gpus[0])["device_name"]
        float32 = "tf32" if tf.config.experimental.tensor_float_32_execution_enabled() else "float32"
    else:
        name = "CPU"
        float32 = "float32"
    return {
        "device": {"kind": "cuda" if gpus else "cpu", "name": name},
        "threads": tf.config.threading.get_intra_op_parallelism_threads(),
        "precision": "bf16" if job.precision == "bf16" else float32,
    }
