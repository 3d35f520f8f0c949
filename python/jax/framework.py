"""What JAX needs that is the same for all models."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
from harness.errors import UnavailableError

# What float32's matrix products may be computed in: https://docs.jax.dev/en/latest/jax.lax.html#jax.lax.Precision
MATMUL_PRECISION = {"float32": "highest", "tf32": "tensorfloat32", "bf16": "highest"}


def configure(job: SimpleNamespace) -> None:
    """Choose the device and the precision; JAX makes its threads when it first sees its devices."""
    if job.device == "cpu" and job.precision == "tf32":
        raise UnavailableError("TF32 is a number format of CUDA devices. Choose precision: float32 or bf16 on the CPU.")
    os.environ["PJRT_NPROC"] = str(job.threads)
    jax.config.update("jax_platforms", "cpu" if job.device == "cpu" else "cuda,cpu")
    jax.config.update("jax_default_matmul_precision", MATMUL_PRECISION[job.precision])
    try:
        jax.devices(job.device)
    except RuntimeError:
        message = "JAX sees no CUDA device. Choose device: cpu, or install jax[cuda12]."
        raise UnavailableError(message) from None


def load(array: np.ndarray) -> np.ndarray:
    """The mapped array itself: JAX takes NumPy's arrays and brings each batch to the device."""
    return array


def fetch(value: jax.Array) -> np.ndarray:
    """A float32 array in host memory."""
    return np.asarray(value, np.float32)


def synchronize() -> None:
    """Wait until the device has finished what was given to it."""
    jax.block_until_ready(jax.live_arrays())


def describe(job: SimpleNamespace) -> dict[str, Any]:
    """Device, threads and precision as JAX reports them."""
    device = jax.devices()[0]
    kind = "cpu" if device.platform == "cpu" else "cuda"
    float32 = "tf32" if jax.config.jax_default_matmul_precision == "tensorfloat32" else "float32"
    return {
        "device": {"kind": kind, "name": device.device_kind},
        "threads": pool_threads() or job.threads,
        "precision": "bf16" if job.precision == "bf16" else float32,
    }


def pool_threads() -> int:
    """Threads in XLA's pool for work inside an operation, which JAX tells nobody: counted by their names (Linux)."""
    names = [thread.read_text() for thread in Path("/proc/self/task").glob("*/comm")]
    return sum(name.startswith("tf_XLAEigen") for name in names)
