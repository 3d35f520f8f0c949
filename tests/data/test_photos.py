"""Photographs: any size and format in, uint8 (n, 3, 224, 224) out."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rosetta.data import photos
from rosetta.data.examples import Examples, NotHere
from rosetta.errors import RosettaError

from tests.data.official import settings, write_folder


def read(data_dir: Path, wanted: int = 6, seed: int = 7) -> Examples:
    return photos.from_user(settings(data_dir, photos=wanted, seed=seed), data_dir)


def save(path: Path, image: Image.Image, **options: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, **options)  # type: ignore[arg-type]
    return path


def quartered(width: int, height: int) -> Image.Image:
    """Red, green / blue, white."""
    image = Image.new("RGB", (width, height), "white")
    image.paste("red", (0, 0, width // 2, height // 2))
    image.paste("lime", (width // 2, 0, width, height // 2))
    image.paste("blue", (0, height // 2, width // 2, height))
    return image


def corners(picture: np.ndarray) -> list[tuple[int, ...]]:
    """The colours near the corners, rounded to 0 or 1: top left and right, bottom left and right."""
    return [tuple((picture[:, row, column] > 127).astype(int)) for row in (20, 203) for column in (20, 203)]


RED, GREEN, BLUE, WHITE = (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)


@pytest.mark.parametrize(
    ("size", "suffix"),
    [
        *(((900, 600), suffix) for suffix in ("jpg", "png", "webp", "tif", "bmp", "gif")),
        *((size, "jpg") for size in ((224, 224), (300, 1000), (60, 40), (4000, 3000))),
    ],
)
def test_any_size_and_format(tmp_path: Path, size: tuple[int, int], suffix: str) -> None:
    save(tmp_path / f"photos/1.{suffix}", quartered(*size))
    examples = read(tmp_path, wanted=1)
    pixels = examples.columns["photos"]
    assert (pixels.shape, pixels.dtype) == ((1, 3, 224, 224), np.uint8)
    assert corners(pixels[0]) == [RED, GREEN, BLUE, WHITE]
    assert (examples.dataset, examples.title, examples.origin.kind) == ("photos", "1 of your photographs", "user files")


def test_the_shorter_side_becomes_256_and_the_middle_stays(tmp_path: Path) -> None:
    ramp = np.tile(np.arange(512, dtype=np.uint8), (256, 1))[:, :, None].repeat(3, axis=2)
    save(tmp_path / "photos/1.png", Image.fromarray(ramp))
    picture = read(tmp_path, wanted=1).columns["photos"][0]
    assert np.array_equal(picture[0], ramp[16:240, 144:368, 0])  # already 256 high: nothing is resampled


@pytest.mark.parametrize(("orientation", "expected"), [(3, [WHITE, BLUE, GREEN, RED]), (6, [BLUE, RED, WHITE, GREEN])])
def test_the_orientation_of_the_camera_is_respected(tmp_path: Path, orientation: int, expected: list[object]) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    save(tmp_path / "photos/1.jpg", quartered(400, 400), exif=exif)
    assert corners(read(tmp_path, wanted=1).columns["photos"][0]) == expected


@pytest.mark.parametrize("mode", ["L", "LA", "RGBA", "P", "CMYK", "1", "I;16"])
def test_every_mode_becomes_rgb(tmp_path: Path, mode: str) -> None:
    grey = np.linspace(0, 255, 256).astype(np.uint8).repeat(256).reshape(256, 256)
    if mode == "I;16":
        image = Image.fromarray(grey.astype(np.uint16) * 257)
    else:
        image = Image.fromarray(grey)
        image = image.convert("P") if mode == "P" else image.convert("RGB").convert(mode)
    save(tmp_path / ("photos/1.tif" if mode == "CMYK" else "photos/1.png"), image)
    picture = read(tmp_path, wanted=1).columns["photos"][0].astype(int)
    assert np.abs(np.diff(picture, axis=0)).max() <= 1  # grey
    assert picture[:, :20].mean() < 40
    assert picture[:, -20:].mean() > 215


def test_photographs_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    for number, name in enumerate(["b/2.png", "a/3.png", "c.PNG", "a/1.jpg"]):
        save(tmp_path / "photos" / name, Image.new("RGB", (256, 256), (0, 0, 60 * number)))
    write_folder(tmp_path / "photos", {"notes.txt": b"no photo", "a/._1.jpg": b"no photo"})
    levels = read(tmp_path, wanted=4).columns["photos"][:, 2, 100, 100]
    assert [round(level / 60) for level in levels] == [3, 1, 0, 2]
    assert len(read(tmp_path, wanted=2).columns["photos"]) == 2


def test_pictures_directly_in_the_folder(tmp_path: Path) -> None:
    save(tmp_path / "1.png", quartered(300, 300))
    save(tmp_path / "cifar10/train/cat/1.png", quartered(32, 32))
    examples = read(tmp_path, wanted=1)
    assert examples.title == "1 of your photographs"
    assert examples.origin.source == str(tmp_path)


def test_crops_follow_where_there_are_too_few(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    for number in range(2):
        noise = generator.integers(0, 256, (300, 400, 3), np.uint8)
        save(tmp_path / f"photos/{number}.png", Image.fromarray(noise))
    examples = read(tmp_path, wanted=7)
    pixels = examples.columns["photos"]
    assert examples.title == "2 of your photographs and 5 crops of them"
    assert len({picture.tobytes() for picture in pixels}) == 7
    assert np.array_equal(pixels, read(tmp_path, wanted=7).columns["photos"])
    assert np.array_equal(pixels[:5], read(tmp_path, wanted=5).columns["photos"])
    other = read(tmp_path, wanted=7, seed=8).columns["photos"]
    assert np.array_equal(pixels[:2], other[:2])
    assert not np.array_equal(pixels[2:], other[2:])


def test_tiny_and_narrow_pictures_can_be_cropped(tmp_path: Path) -> None:
    save(tmp_path / "photos/1.png", Image.new("RGB", (1, 1)))
    save(tmp_path / "photos/2.png", Image.new("RGB", (3, 500)))
    assert read(tmp_path, wanted=20).columns["photos"].shape == (20, 3, 224, 224)


def jpeg() -> bytes:
    file = io.BytesIO()
    quartered(64, 64).save(file, "JPEG")
    return file.getvalue()


@pytest.mark.parametrize(
    "content", [b"", b"no picture", jpeg()[:400], b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"]
)
def test_an_unreadable_photograph_is_left_out_and_counted(tmp_path: Path, content: bytes) -> None:
    files = {f"photos/{number:03}.jpg": jpeg() for number in range(120)}
    write_folder(tmp_path, files | {"photos/005.jpg": content})
    examples = read(tmp_path, wanted=110)
    assert examples.title == "110 of your photographs"
    assert len(examples.warnings) == 1
    assert "1 of 112 images were left out" in examples.warnings[0]
    assert "005.jpg cannot be read" in examples.warnings[0]


def test_too_many_unreadable_ones_are_refused(tmp_path: Path) -> None:
    write_folder(tmp_path, {"photos/1.jpg": jpeg(), "photos/2.jpg": b"no picture"})
    with pytest.raises(RosettaError, match=r"1 of 2 images cannot be used .*2\.jpg cannot be read"):
        read(tmp_path)


def test_a_picture_that_would_fill_the_memory_is_left_out(tmp_path: Path) -> None:
    header = b"P6 60000 60000 255\n" + b"\0" * 100
    write_folder(tmp_path, {"photos/1.ppm": header})
    with pytest.raises(RosettaError, match="DecompressionBomb"):
        read(tmp_path)


def test_no_photographs(tmp_path: Path) -> None:
    with pytest.raises(NotHere, match="no folder with photographs was named"):
        photos.from_user(settings(None), tmp_path)
    with pytest.raises(NotHere, match="holds no photographs"):
        read(tmp_path)
    (tmp_path / "photos").mkdir()
    with pytest.raises(RosettaError, match="holds no picture that can be read"):
        read(tmp_path)
    (tmp_path / "cifar10.zip").write_bytes(b"")
    with pytest.raises(NotHere, match="is no folder"):
        read(tmp_path / "cifar10.zip")
