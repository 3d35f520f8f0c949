"""What PyTorch needs that is the same for all models."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from harness.errors import UnavailableError
from torch import Tensor


def configure(job: SimpleNamespace) -> None:
    """Set threads, precision and cuDNN's search for the fastest algorithms."""
    if job.device == "cuda" and not torch.cuda.is_available():
        raise UnavailableError("PyTorch sees no CUDA device. Choose device: cpu, or install a CUDA build of torch.")
    if job.device == "cpu" and job.precision == "tf32":
        raise UnavailableError("TF32 is a number format of CUDA devices. Choose precision: float32 or bf16 on the CPU.")
    torch.set_num_threads(job.threads)
    torch.backends.cuda.matmul.allow_tf32 = job.precision == "tf32"
    torch.backends.cudnn.allow_tf32 = job.precision == "tf32"
    torch.backends.cudnn.benchmark = True


def load(array: np.ndarray) -> Tensor:
    """A tensor on the same memory."""
    return torch.from_numpy(array)


def fetch(value: Tensor) -> np.ndarray:
    """A float32 array in host memory."""
    return value.float().cpu().numpy()


def synchronize() -> None:
    """Wait until the GPU, where one is in use, has finished."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def describe(job: SimpleNamespace) -> dict[str, Any]:
    """Device, threads and precision as PyTorch reports them."""
    if job.device == "cuda":
        name = torch.cuda.get_device_name()
        float32 = "tf32" if torch.backends.cuda.matmul.allow_tf32 else "float32"
    else:
        name = f"CPU ({torch.backends.cpu.get_cpu_capability()})"
        float32 = "float32"
    return {
        "device": {"kind": job.device, "name": name},
        "threads": torch.get_num_threads(),
        "precision": "bf16" if job.precision == "bf16" else float32,
    }
