"""Photographs for feature extraction: the user's, or the samples that scikit-image and scikit-learn ship."""

import warnings
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from rosetta.data.examples import MAX_SKIPPED_SHARE, Examples, NotHere, Origin, skipped
from rosetta.data.packages import Package, installed
from rosetta.data.progress import progress
from rosetta.data.settings import DataSettings
from rosetta.errors import RosettaError

SIZE = 224
# The usual preparation for ImageNet: the shorter side to 256, then the middle 224 x 224.
SHORTER_SIDE = 256
# Random crops as usual in training (https://arxiv.org/abs/1409.4842, section 6): the share of the area, and the shape.
CROP_AREA = (0.25, 1.0)
CROP_RATIO = (3 / 4, 4 / 3)
LAYOUT = {"photos": "uint8 (channel, row, column), RGB"}

FOLDERS = ("photos", "photographs")
# Pillow starts Ghostscript to read EPS; the others it knows by name, but cannot decode by itself.
_UNSUITABLE_FORMATS = {"EPS", "BUFR", "GRIB", "HDF5", "MPEG", "WMF"}
THREADS = 2
# The everyday photographs among scikit-image's sample pictures.
SCIKIT_IMAGE = (
    *(f"{name}.png" for name in ("astronaut", "brick", "camera", "chelsea", "coffee", "coins", "grass", "gravel")),
    *("moon.png", "motorcycle_left.png", "motorcycle_right.png", "rocket.jpg"),
)
SCIKIT_LEARN = ("china.jpg", "flower.jpg")
PACKAGES = (
    ("scikit-image", "skimage", "data", SCIKIT_IMAGE),
    ("scikit-learn", "sklearn", "datasets/images", SCIKIT_LEARN),
)


def from_user(settings: DataSettings, _downloads: Path) -> Examples:
    """The user's photographs: in `data_dir/photos` with all its folders, or directly in `data_dir`."""
    given = settings.data_dir
    if given is None:
        raise NotHere("no folder with photographs was named (data_dir or ROSETTA_DATA)")
    if not given.is_dir():
        raise NotHere(f"{given} is no folder of photographs")
    named = next((given / name for name in FOLDERS if (given / name).is_dir()), None)
    paths = _pictures(named.rglob("*") if named else given.iterdir())
    if named and not paths:
        raise RosettaError(f"{named} holds no picture that can be read. Put photographs there or remove it.")
    if not paths:
        raise NotHere(f"{given} holds no photographs: neither in a folder {FOLDERS[0]} nor directly")
    return load(paths, "photos", "of your photographs", Origin("user files", str(named or given)), settings)


def from_packages(settings: DataSettings, _downloads: Path) -> Examples:
    """The sample photographs of scikit-image and scikit-learn, of whichever is installed."""
    paths: list[Path] = []
    packages: list[Package] = []
    for distribution, module, folder, files in PACKAGES:
        try:
            package = installed(distribution, module)
        except NotHere:
            continue
        there = [path for path in (package.folder / folder / file for file in files) if path.is_file()]
        if there:
            paths += there
            packages.append(package)
    if not paths:
        raise NotHere(
            "neither scikit-image nor scikit-learn is installed (pip install scikit-image): no sample photographs"
        )
    title = "of the sample photographs of " + " and ".join(package.name.split()[0] for package in packages)
    return load(
        paths, "sample-photos", title, Origin("package", ", ".join(package.name for package in packages)), settings
    )


def load(paths: Sequence[Path], dataset: str, title: str, origin: Origin, settings: DataSettings) -> Examples:
    """The first photographs, as many as are wanted; if there are fewer, random crops of them follow.

    Raises:
        RosettaError: too many pictures cannot be read; the message names some.
    """
    wanted = settings.photos
    pixels = np.empty((wanted, 3, SIZE, SIZE), np.uint8)
    tried = paths[: wanted + int(MAX_SKIPPED_SHARE * wanted) + 1]
    good: list[Path] = []
    bad: list[str] = []
    with warnings.catch_warnings(), ThreadPoolExecutor(THREADS) as pool:  # Pillow decodes outside Python's lock
        warnings.simplefilter("ignore")  # Pillow's about odd metadata and large pictures
        for path, picture in progress(
            zip(tried, pool.map(_whole, tried), strict=True), "reading photographs", "photo", len(tried)
        ):
            if isinstance(picture, str):
                bad.append(f"{path} {picture}")
            elif len(good) < wanted:
                pixels[len(good)] = picture
                good.append(path)
        left_out = skipped(bad, len(tried), origin.source)
        crops = {path: range(number, wanted, len(good))[1:] for number, path in enumerate(good)}
        jobs = [(path, rows, settings.seed) for path, rows in crops.items() if rows]
        for rows, pictures in progress(pool.map(_crops, jobs), "cropping photographs", "photo", len(jobs)):
            pixels[list(rows)] = pictures
    missing = wanted - len(good)
    return Examples(
        dataset=dataset,
        title=f"{len(good):,} {title}" + (f" and {missing:,} crops of them" if missing else ""),
        origin=origin,
        columns={"photos": pixels},
        splits={"test": wanted},
        layout=LAYOUT,
        warnings=left_out,
    )


def _pictures(paths: Iterable[Path]) -> list[Path]:
    """The files that Pillow can read by their suffix, sorted by path; hidden ones are passed over."""
    suffixes = {suffix for suffix, format in Image.registered_extensions().items() if format in _formats()}
    return sorted(
        path for path in paths if path.suffix.lower() in suffixes and not path.name.startswith(".") and path.is_file()
    )


def _formats() -> set[str]:
    Image.init()
    return set(Image.OPEN) - _UNSUITABLE_FORMATS


def _open(path: Path) -> Image.Image:
    """The photograph in RGB, the right way up; a large JPEG at a half, quarter or eighth of its size."""
    with Image.open(path, formats=sorted(_formats())) as file:
        file.draft(None, (2 * SHORTER_SIDE, 2 * SHORTER_SIDE))
        image: Image.Image = file
        if image.mode.startswith("I;16"):  # convert() would cut off what is brighter than 255
            image = Image.fromarray((np.asarray(image) >> 8).astype(np.uint8))
        return ImageOps.exif_transpose(image).convert("RGB")


def _whole(path: Path) -> np.ndarray | str:
    """The photograph's middle, uint8 (3, 224, 224); or what is wrong with it."""
    try:
        image = _open(path)
    except Exception as error:  # a damaged picture can raise anything
        return f"cannot be read ({type(error).__name__})"
    scale = SHORTER_SIDE / min(image.size)
    image = image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.BICUBIC)
    left, top = (image.width - SIZE) // 2, (image.height - SIZE) // 2
    return _channels_first(image.crop((left, top, left + SIZE, top + SIZE)))


def _crops(job: tuple[Path, Sequence[int], int]) -> tuple[Sequence[int], list[np.ndarray]]:
    """Random crops of one photograph, one for each row; a crop depends on the seed and the row alone."""
    path, rows, seed = job
    image = _open(path)
    return rows, [_crop(image, np.random.default_rng([seed, row])) for row in rows]


def _crop(image: Image.Image, generator: np.random.Generator) -> np.ndarray:
    """A random part of the photograph, perhaps mirrored: uint8 (3, 224, 224)."""
    area = generator.uniform(*CROP_AREA) * image.width * image.height
    ratio = np.exp(generator.uniform(*np.log(CROP_RATIO)))
    width = min(image.width, round(np.sqrt(area * ratio)))
    height = min(image.height, round(np.sqrt(area / ratio)))
    left = generator.integers(0, image.width - width + 1)
    top = generator.integers(0, image.height - height + 1)
    box = (left, top, left + width, top + height)
    part = image.resize((SIZE, SIZE), Image.Resampling.BICUBIC, box=box)
    if generator.random() < 0.5:
        part = ImageOps.mirror(part)
    return _channels_first(part)


def _channels_first(image: Image.Image) -> np.ndarray:
    return np.asarray(image).transpose(2, 0, 1)
