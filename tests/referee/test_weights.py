"""The initial weights: drawn, calibrated, or read from torchvision's published file."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
import torch
from rosetta import formulas
from rosetta import weights as module
from rosetta.data.download import Download
from rosetta.errors import RosettaError
from rosetta.tensors import Sheet, write_examples
from rosetta.weights import Published, calibrate, draw, read_published, shapes, write_weights

NOT_TRAINED = ("running_mean", "running_var")


@pytest.mark.parametrize(
    ("model", "parameters"),
    # resnet50: torchvision's 25,557,032 without the last layer's 2048 x 1000 + 1000
    [("cnn", 3_441_592), ("gru", 30_000 * 125 + 300 * 225 + 600 + 202), ("resnet50", 25_557_032 - 2_049_000)],
)
def test_the_parameters_count(model: str, parameters: int) -> None:
    trained = [shape for name, shape in shapes(model).items() if not name.endswith(NOT_TRAINED)]
    assert sum(int(np.prod(shape)) for shape in trained) == parameters


@pytest.mark.parametrize("model", ["cnn", "gru"])
def test_no_bias_is_zero(model: str) -> None:
    for name, array in draw(model, seed=1).items():
        assert array.dtype == np.float32
        assert np.count_nonzero(array) == array.size, name


def test_the_seed_decides() -> None:
    first, again, other = (draw("gru", seed)["dense.weight"].tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_the_gru_remembers_the_first_word() -> None:
    """The reason of the update gate's bias: with another first word, the logits differ visibly."""
    weights = {name: torch.from_numpy(array) for name, array in draw("gru", seed=1).items()}
    words = torch.full((2, 150), 5)
    words[1, 0] = 6
    first, second = formulas.gru_logits(weights, words)
    assert (first - second).abs().max() > 1e-4


def test_calibrated_activations_have_mean_0_and_variance_1() -> None:
    photos = np.random.default_rng(1).integers(0, 256, (8, 3, 64, 64), dtype=np.uint8)
    arrays = draw("resnet50", seed=1)
    arrays |= calibrate(arrays, photos)
    seen = []

    def watch(weights: formulas.Weights, name: str, x: torch.Tensor, epsilon: float) -> torch.Tensor:
        plain = {f"{name}.weight": torch.ones(1), f"{name}.bias": torch.zeros(1)}
        normalized = formulas.batch_norm(weights | plain, name, x, epsilon)
        assert normalized.mean(dim=(0, 2, 3)).abs().max() < 1e-3, name
        assert (normalized.var(dim=(0, 2, 3), correction=0) - 1).abs().max() < 1e-2, name
        seen.append(name)
        return formulas.batch_norm(weights, name, x, epsilon)

    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    own = module.MODELS["resnet50"].hyperparameters
    formulas.resnet50_features(
        tensors, torch.from_numpy(photos), own["mean"], own["deviation"], own["batch_norm_epsilon"], normalize=watch
    )
    assert len(seen) == 53


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    photos = np.random.default_rng(1).integers(0, 256, (4, 3, 64, 64), dtype=np.uint8)
    Sheet(write_examples(tmp_path / "resnet50.arrow", {"test_inputs": photos}, {}), {}).write(
        tmp_path / "resnet50.json"
    )
    return tmp_path


@pytest.fixture(scope="module")
def torchvision_state() -> dict[str, torch.Tensor]:
    """What torchvision's file holds: also the last layer, and counts of batches."""
    state = {name: torch.from_numpy(array) for name, array in draw("resnet50", seed=7).items()}
    counts = {name.replace("running_mean", "num_batches_tracked"): torch.tensor(0) for name in state if "_mean" in name}
    return {**state, **counts, "fc.weight": torch.zeros(1000, 2048), "fc.bias": torch.zeros(1000)}


def publish(folder: Path, content: object, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Save `content` as torchvision would, and let the runner know of that file only."""
    torch.save(content, folder / "saved")
    digits = hashlib.sha256((folder / "saved").read_bytes()).hexdigest()[:8]
    path = (folder / "saved").rename(folder / f"resnet50-{digits}.pth")
    file = Download(f"https://example.org/{path.name}", digits, path.stat().st_size, "sha256")
    monkeypatch.setattr(module, "PUBLISHED", (Published("ImageNet (test)", file),))
    return path


def test_the_user_s_published_file_is_read(
    folder: Path, torchvision_state: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    data_dir = folder / "data"
    data_dir.mkdir()
    path = publish(data_dir, torchvision_state, monkeypatch)
    sheet = write_weights("resnet50", folder, seed=1, data_dir=data_dir, download=False)
    assert sheet.facts["title"] == "ImageNet (test)"
    assert sheet.facts["origin"] == "published"
    assert sheet.facts["source"] == str(path)
    assert list(sheet.tensors) == list(shapes("resnet50"))
    np.testing.assert_array_equal(sheet.tensors["conv1.weight"].map(), torchvision_state["conv1.weight"])


def test_a_damaged_file_is_named(
    tmp_path: Path, torchvision_state: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = publish(tmp_path, torchvision_state, monkeypatch)
    with path.open("r+b") as file:
        file.seek(1000)
        file.write(b"damage")
    with pytest.raises(RosettaError, match=f"{path}: its SHA-256 does not begin with"):
        write_weights("resnet50", tmp_path, seed=1, data_dir=tmp_path)


def test_another_network_s_file_is_named(
    tmp_path: Path, torchvision_state: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = {**torchvision_state, "layer1.0.conv1.weight": torch.zeros(64, 64, 3, 3)}
    path = publish(tmp_path, other, monkeypatch)
    with pytest.raises(RosettaError, match=f"{path}: no ResNet-50: layer1.0.conv1.weight"):
        write_weights("resnet50", tmp_path, seed=1, data_dir=tmp_path)


@pytest.mark.parametrize("content", [[1, 2], Path("an object whose class is code")])
def test_a_file_that_holds_no_weights_is_named(tmp_path: Path, content: object) -> None:
    torch.save(content, tmp_path / "file.pth")
    with pytest.raises(RosettaError, match=r"file\.pth: no "):
        read_published(tmp_path / "file.pth")


def test_without_published_weights_they_are_seeded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = write_weights("resnet50", folder, seed=1)
    assert sheet.facts["title"] == "seeded (He, batch norm calibrated)"
    assert "no published weights" in capsys.readouterr().err
    assert not np.array_equal(sheet.tensors["bn1.running_var"].map(), np.ones(64))


def test_published_names_begin_their_checksum() -> None:
    assert [published.file.checksum for published in module.PUBLISHED] == ["0676ba61", "11ad3fa6"]
