"""The initial weights of the three models: drawn from a seed, or for ResNet-50 the published ones where there are any.

These are torchvision's. Keras's file is of another network: the stride is in the first 1x1 convolution.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rosetta.data.download import Download, fetch, is_intact
from rosetta.data.examples import NotHere
from rosetta.errors import RosettaError
from rosetta.models import MODELS
from rosetta.tensors import Sheet, sha256, write_tensors

Arrays = dict[str, np.ndarray]

CNN_SHAPES: dict[str, tuple[int, ...]] = {
    "conv1.weight": (50, 3, 3, 3),
    "conv1.bias": (50,),
    "conv2.weight": (50, 50, 3, 3),
    "conv2.bias": (50,),
    "conv3.weight": (100, 50, 3, 3),
    "conv3.bias": (100,),
    "conv4.weight": (100, 100, 3, 3),
    "conv4.bias": (100,),
    "dense1.weight": (512, 6400),
    "dense1.bias": (512,),
    "dense2.weight": (10, 512),
    "dense2.bias": (10,),
}

GRU_SHAPES: dict[str, tuple[int, ...]] = {
    "embedding.weight": (30_000, 125),
    "gru.weight_ih_l0": (300, 125),
    "gru.weight_hh_l0": (300, 100),
    "gru.bias_ih_l0": (300,),
    "gru.bias_hh_l0": (300,),
    "dense.weight": (2, 100),
    "dense.bias": (2,),
}

# Uniform in +-bound. For embeddings this is Keras's default; biases are not zero, so that one left out shows.
EMBEDDING_BOUND = 0.05
BIAS_BOUND = 0.05

RESIDUAL_SCALE = 0.2
REVIEW_WORDS = 150

# Photographs on which the batch-norm statistics of a seeded ResNet-50 are measured.
CALIBRATION_PHOTOS = 32


@dataclass(frozen=True)
class Published:
    """A published file of weights, and what it is called in the table."""

    title: str
    file: Download


def _torchvision(version: str, name: str, size: int) -> Published:
    """A file of torchvision's; the digits in its name begin its SHA-256, as for all files on download.pytorch.org."""
    checksum = name.removesuffix(".pth").rsplit("-", 1)[1]
    url = f"https://download.pytorch.org/models/{name}"
    return Published(f"ImageNet (torchvision {version})", Download(url, checksum, size, "sha256"))


# Source: torchvision.models.ResNet50_Weights. The first one is downloaded where that is allowed.
PUBLISHED = (
    _torchvision("IMAGENET1K_V1", "resnet50-0676ba61.pth", 102_530_333),
    _torchvision("IMAGENET1K_V2", "resnet50-11ad3fa6.pth", 102_540_417),
)


def write_weights(model: str, folder: Path, seed: int, data_dir: Path | None = None, download: bool = False) -> Sheet:
    """Write a model's initial weights to `folder/weights/`.

    Args:
        folder: of the prepared data; for resnet50 its photographs are read, if the weights are drawn.
        seed: of NumPy's PCG64, for weights that are drawn.
        data_dir: where the user may have torchvision's file.
        download: whether it may be downloaded.

    Returns:
        The sheet written. Its facts say what the weights are: `title` for people, `origin` (`seeded` or `published`)
        and `source`.

    Raises:
        RosettaError: the user's file is damaged or another model's; the photographs are missing.
    """
    published = published_resnet50(folder / "downloads", data_dir, download) if model == "resnet50" else None
    if published:
        path, title = published
        arrays = read_published(path)
        facts = {"title": title, "origin": "published", "source": str(path)}
    else:
        arrays = draw(model, seed)
        title = "seeded (Glorot)"
        if model == "resnet50":
            photos = Sheet.read(folder / "resnet50.json").tensors["test_inputs"].map()
            arrays |= calibrate(arrays, photos[:CALIBRATION_PHOTOS])
            title = "seeded (He, batch norm calibrated)"
        facts = {"title": title, "origin": "seeded", "source": f"NumPy's PCG64, seed {seed}"}
    facts = {"model": model, **facts, "sha256": sha256(arrays)}
    sheet = Sheet(write_tensors(folder / "weights" / f"{model}.arrow", arrays, facts), facts)
    sheet.write(folder / "weights" / f"{model}.json")
    return sheet


def shapes(model: str) -> dict[str, tuple[int, ...]]:
    """The names and shapes of a model's weights, in canonical order and PyTorch's layout."""
    return {"cnn": CNN_SHAPES, "gru": GRU_SHAPES, "resnet50": dict(_resnet50_shapes())}[model]


def draw(model: str, seed: int) -> Arrays:
    """Draw weights, float32.

    cnn and gru: Glorot and Bengio 2010, equation 16 (uniform), the default of most frameworks in 2018; each gate of the
    GRU on its own. The update gate's bias is Tallec and Ollivier's 2018 "chrono initialization", log(uniform(1, T - 1))
    for T words, under which the state remembers the first word to the last: a mistake at its beginning shows.

    resnet50: He et al. 2015, "Delving Deep into Rectifiers", equation 10 (normal); batch-norm statistics 0 and 1, and
    scales near 1, but near RESIDUAL_SCALE at the end of each block: with small residuals, as after training, rounding
    errors do not grow from block to block (after Goyal et al. 2017, section 5.1, who begin with 0).
    """
    generator = np.random.default_rng(seed)

    def uniform(bound: float, shape: tuple[int, ...]) -> np.ndarray:
        return generator.uniform(-bound, bound, shape)

    def drawn(name: str, shape: tuple[int, ...]) -> np.ndarray:
        inputs = int(np.prod(shape[1:]))
        if name.endswith("running_mean"):
            return np.zeros(shape)
        if name.endswith("running_var"):
            return np.ones(shape)
        if "bias" in name:
            return uniform(BIAS_BOUND, shape)
        if name == "embedding.weight":
            return uniform(EMBEDDING_BOUND, shape)
        if len(shape) == 1:
            scale = RESIDUAL_SCALE if name.endswith("bn3.weight") else 1
            return scale * (1 + uniform(BIAS_BOUND, shape))
        if model == "resnet50":
            return generator.normal(0, np.sqrt(2 / inputs), shape)
        gates = 3 if name.startswith("gru.") else 1
        outputs = shape[0] // gates * int(np.prod(shape[2:]))
        return uniform(np.sqrt(6 / (inputs + outputs)), shape)

    arrays = {name: drawn(name, shape).astype(np.float32) for name, shape in shapes(model).items()}
    if model == "gru":
        update_gate = arrays["gru.bias_ih_l0"][100:200]
        update_gate[:] = np.log(generator.uniform(1, REVIEW_WORDS - 1, update_gate.shape))
    return arrays


def calibrate(arrays: Arrays, photos: np.ndarray) -> Arrays:
    """Batch-norm statistics under which each channel has mean 0 and variance 1 over these photographs.

    Args:
        arrays: the weights of ResNet-50.
        photos: uint8 (photographs, 3, height, width).

    Returns:
        running_mean and running_var of each batch normalisation, float32.
    """
    import torch

    from rosetta import formulas

    hyperparameters = MODELS["resnet50"].hyperparameters
    statistics: Arrays = {}

    def measure(weights: formulas.Weights, name: str, x: Any, epsilon: float) -> Any:
        variance, mean = torch.var_mean(x, dim=(0, 2, 3), correction=0)
        measured = {f"{name}.running_mean": mean, f"{name}.running_var": variance}
        statistics.update({key: value.numpy() for key, value in measured.items()})
        return formulas.batch_norm(weights | measured, name, x, epsilon)

    with torch.inference_mode():
        formulas.resnet50_features(
            {name: torch.from_numpy(array) for name, array in arrays.items()},
            torch.from_numpy(np.ascontiguousarray(photos)),
            hyperparameters["mean"],
            hyperparameters["deviation"],
            hyperparameters["batch_norm_epsilon"],
            normalize=measure,
        )
    return statistics


def published_resnet50(downloads: Path, data_dir: Path | None, download: bool) -> tuple[Path, str] | None:
    """Find the file of ResNet-50's published weights.

    Args:
        downloads: where downloaded files are kept.
        data_dir: the user's folder.
        download: whether it may be downloaded.

    Returns:
        The file and its title; None if it can be had nowhere.

    Raises:
        RosettaError: the user's file is damaged.
    """
    for published in PUBLISHED:
        path = data_dir / published.file.name if data_dir else None
        if path and path.is_file():
            if not is_intact(path, published.file):
                raise RosettaError(
                    f"{path}: its SHA-256 does not begin with {published.file.checksum}, as its name says: "
                    "it is damaged or another file. Fetch it again, or remove it."
                )
            return path, published.title
    try:
        return fetch(PUBLISHED[0].file, downloads, download), PUBLISHED[0].title
    except NotHere as reason:
        print(f"resnet50: no published weights: {reason}", file=sys.stderr)
        return None


def read_published(path: Path) -> Arrays:
    """Read torchvision's file of ResNet-50: all weights but the last layer's, float32.

    Raises:
        RosettaError: it is no file of weights, or it holds another network's.
    """
    import torch

    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch.load raises what it meets: pickle's, zipfile's and its own errors
        raise RosettaError(f"{path}: no PyTorch file of weights ({type(error).__name__}). Remove it.") from None
    arrays = {}
    for name, shape in shapes("resnet50").items():
        found = tuple(state[name].shape) if isinstance(state, dict) and name in state else None
        if found != shape:
            raise RosettaError(f"{path}: no ResNet-50: {name} is {found or 'missing'}, not {shape}. Remove it.")
        arrays[name] = state[name].to(torch.float32).numpy()
    return arrays


def _resnet50_shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
    from rosetta.formulas import RESNET50_BLOCKS

    def batch_norm(name: str, channels: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        for part in ("weight", "bias", "running_mean", "running_var"):
            yield f"{name}.{part}", (channels,)

    yield "conv1.weight", (64, 3, 7, 7)
    yield from batch_norm("bn1", 64)
    inputs = 64
    for stage, blocks in enumerate(RESNET50_BLOCKS, start=1):
        width = 32 * 2**stage
        for number in range(blocks):
            name = f"layer{stage}.{number}"
            convolutions = ((width, inputs, 1, 1), (width, width, 3, 3), (4 * width, width, 1, 1))
            for index, shape in enumerate(convolutions, start=1):
                yield f"{name}.conv{index}.weight", shape
                yield from batch_norm(f"{name}.bn{index}", shape[0])
            if number == 0:
                yield f"{name}.downsample.0.weight", (4 * width, inputs, 1, 1)
                yield from batch_norm(f"{name}.downsample.1", 4 * width)
            inputs = 4 * width
