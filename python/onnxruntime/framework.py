"""What ONNX Runtime needs that is the same for all models."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime
from harness.errors import UnavailableError
from onnxscript import GraphBuilder, ir, nn

OPSET = 23
PROVIDERS = {"cpu": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider"}


def configure(job: SimpleNamespace) -> None:
    """Refuse what this build of ONNX Runtime cannot do; threads and precision are options of a session."""
    if PROVIDERS[job.device] not in onnxruntime.get_available_providers():
        raise UnavailableError("This ONNX Runtime has no CUDA. Choose device: cpu, or install onnxruntime-gpu instead.")
    if job.device == "cuda":
        onnxruntime.preload_dlls()  # of CUDA and cuDNN, from NVIDIA's packages
    if job.device == "cpu" and job.precision == "tf32":
        raise UnavailableError("TF32 is a number format of CUDA devices. Choose precision: float32 on the CPU.")


def open_session(model: nn.Module, inputs: ir.Value, job: SimpleNamespace) -> onnxruntime.InferenceSession:
    """A session on the model's graph, with its weights in it, for `inputs` of the given shape."""
    graph = ir.Graph([inputs], [], nodes=[], opset_imports={"": OPSET}, name="model")
    graph.outputs.append(model(GraphBuilder(graph).op, inputs))
    graph_bytes = ir.to_proto(ir.Model(graph, ir_version=11)).SerializeToString()

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = job.threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    cuda = {"cudnn_conv_algo_search": "EXHAUSTIVE", "use_tf32": int(job.precision == "tf32")}
    providers = [("CUDAExecutionProvider", cuda)] if job.device == "cuda" else ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(graph_bytes, options, providers)
    if session.get_providers()[0] != PROVIDERS[job.device]:  # without a GPU or cuDNN it takes the CPU in silence
        raise UnavailableError("ONNX Runtime cannot use CUDA; its messages in the log say why. Choose device: cpu.")
    return session


def load(array: np.ndarray) -> np.ndarray:
    """The mapped array itself: ONNX Runtime reads NumPy's arrays."""
    return array


def fetch(value: np.ndarray) -> np.ndarray:
    """The features, in host memory already."""
    return value


def synchronize() -> None:
    """Nothing to wait for: a session's `run` returns when the results are in host memory."""


def describe(job: SimpleNamespace) -> dict[str, Any]:
    """Device as ONNX Runtime reports it; threads and precision as its sessions were given them."""
    return {
        "device": {"kind": job.device, "name": onnxruntime.get_device()},
        "threads": job.threads,
        "precision": job.precision,
    }
