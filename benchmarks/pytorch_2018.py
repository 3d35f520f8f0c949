"""PyTorch as it is written here against the loop of the 2018 comparison, on the same data and threads.

    python benchmarks/pytorch_2018.py --threads 2 --repeats 7

Three ways to run the same epoch take turns, so that whatever else the machine does meets all of them alike:

- `here`: `train` and `predict` of python/pytorch;
- `2018`: the style of the 2018 comparison, in PyTorch's API of today: float32 arrays in NumPy, shuffled as a whole each
  epoch, cut into batches by a generator, and turned into tensors batch by batch; layers and optimizers as they come;
- `shortest`: the model of `here` in the shortest loop that trains it. It shows what our loop costs beside the model.

The table gives each one's median seconds per epoch and the ratio here / other of each turn: median, smallest, largest.
At most 1 means that `here` is at least as fast. Seconds of CPU, of all threads, are less disturbed by other load.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait leave their core to other load
sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import numpy as np
import torch
import torch.nn.functional as F
from harness.implementation import Implementation
from rosetta.models import MODELS
from torch import Tensor, nn

IMPLEMENTATIONS = Path(__file__).parents[1] / "python" / "pytorch"
RANDOM = np.random.default_rng(2018)
Epoch = Callable[[], object]


# What the 2018 comparison did


class CNN2018(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, 50, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(50, 50, kernel_size=3, padding=1)
        self.conv3 = nn.Conv2d(50, 100, kernel_size=3, padding=1)
        self.conv4 = nn.Conv2d(100, 100, kernel_size=3, padding=1)
        self.dense1 = nn.Linear(100 * 8 * 8, 512)
        self.dense2 = nn.Linear(512, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.conv2(F.relu(self.conv1(x))))
        x = F.dropout(F.max_pool2d(x, kernel_size=2, stride=2), 0.25, training=self.training)
        x = F.relu(self.conv4(F.relu(self.conv3(x))))
        x = F.dropout(F.max_pool2d(x, kernel_size=2, stride=2), 0.25, training=self.training)
        x = F.relu(self.dense1(x.view(-1, 100 * 8 * 8)))
        return self.dense2(F.dropout(x, 0.5, training=self.training))


class GRU2018(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(30_000, 125)
        self.gru = nn.GRU(input_size=125, hidden_size=100, num_layers=1, batch_first=True)
        self.dense = nn.Linear(100, 2)

    def forward(self, x: Tensor) -> Tensor:
        initial = torch.zeros(1, len(x), 100)
        states, _ = self.gru(self.embedding(x), initial)
        return self.dense(states[:, -1, :].squeeze())


def shuffled_batches(x: np.ndarray, y: np.ndarray, batch_size: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Shuffle the whole set, as the 2018 generator did, then cut it into full batches."""
    order = RANDOM.permutation(len(x))
    x, y = x[order], y[order]
    for i in range(len(x) // batch_size):
        yield x[i * batch_size : (i + 1) * batch_size], y[i * batch_size : (i + 1) * batch_size]


def epoch_of_2018(
    model: nn.Module, optimizer: torch.optim.Optimizer, x: np.ndarray, y: np.ndarray, batch_size: int
) -> Epoch:
    def epoch() -> None:
        model.train()
        for data, target in shuffled_batches(x, y, batch_size):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(torch.from_numpy(data)), torch.from_numpy(target))
            loss.backward()
            optimizer.step()

    return epoch


def features_of_2018(model: nn.Module, x: np.ndarray, batch_size: int) -> Epoch:
    def predict() -> np.ndarray:
        model.eval()
        features = np.zeros((len(x), 2048), dtype=np.float32)
        with torch.no_grad():
            for i in range(len(x) // batch_size):
                part = slice(i * batch_size, (i + 1) * batch_size)
                features[part] = model(torch.from_numpy(x[part])).numpy()
        return features

    return predict


# The shortest loops


def shortest_epoch(model: Any, inputs: Tensor, labels: Tensor, batches: Tensor) -> Epoch:
    def epoch() -> None:
        for batch in batches:
            F.cross_entropy(model(inputs[batch]), labels[batch]).backward()
            model.optimizer.step()
            model.optimizer.zero_grad()

    return epoch


def shortest_prediction(model: nn.Module, inputs: Tensor, batch_size: int) -> Epoch:
    @torch.inference_mode()
    def predict() -> Tensor:
        return torch.cat([model(images) for images in inputs.split(batch_size)])

    return predict


# The comparison


def cnn(implementation: Implementation, job: SimpleNamespace, batches: int) -> dict[str, Epoch]:
    examples = batches * job.batch_size
    pixels = RANDOM.integers(0, 256, (examples, 3, 32, 32), dtype=np.uint8)
    labels = RANDOM.integers(0, 10, examples)
    model = CNN2018()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    return {
        **epochs_of_today(implementation, job, model, pixels, labels),
        "2018": epoch_of_2018(model, optimizer, pixels / np.float32(255), labels, job.batch_size),
    }


def gru(implementation: Implementation, job: SimpleNamespace, batches: int) -> dict[str, Epoch]:
    examples = batches * job.batch_size
    words = RANDOM.zipf(1.3, (examples, 150)).clip(0, 29_999)
    labels = RANDOM.integers(0, 2, examples)
    model = GRU2018()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001, betas=(0.9, 0.999), eps=1e-8)
    return {
        **epochs_of_today(implementation, job, model, words.astype(np.int32), labels),
        "2018": epoch_of_2018(model, optimizer, words, labels, job.batch_size),
    }


def resnet50(implementation: Implementation, job: SimpleNamespace, batches: int) -> dict[str, Epoch]:
    examples = batches * job.batch_size
    pixels = RANDOM.integers(0, 256, (examples, 3, 224, 224), dtype=np.uint8)
    mean, deviation = (np.float32(value).reshape(3, 1, 1) for value in (job.mean, job.deviation))
    network = implementation.module.ResNet50(job)  # layers as they come, without scaling
    layers = [network.conv1, network.bn1, nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    layers += [network.layer1, network.layer2, network.layer3, network.layer4, nn.AvgPool2d(7), nn.Flatten()]
    here, shortest = (implementation.build(job, network.state_dict()) for _ in range(2))
    inputs = torch.from_numpy(pixels)
    return {
        "here": lambda: implementation.predict(here, inputs),
        "shortest": shortest_prediction(shortest.eval(), inputs, job.batch_size),
        "2018": features_of_2018(nn.Sequential(*layers), (pixels / np.float32(255) - mean) / deviation, job.batch_size),
    }


def epochs_of_today(
    implementation: Implementation, job: SimpleNamespace, model: nn.Module, inputs: np.ndarray, labels: np.ndarray
) -> dict[str, Epoch]:
    here, shortest = (implementation.build(job, model.state_dict()) for _ in range(2))
    order = torch.from_numpy(RANDOM.permutation(len(labels)).reshape(-1, job.batch_size))
    x, y = torch.from_numpy(inputs), torch.from_numpy(labels)
    return {
        "here": lambda: implementation.train(here, x, y, order),
        "shortest": shortest_epoch(shortest.train(), x, y, order),
    }


def measure(epochs: dict[str, Epoch], repeats: int) -> dict[str, list[tuple[float, float]]]:
    """Wall and CPU seconds of each epoch, in turns; the first turn warms up and is not kept."""
    seconds: dict[str, list[tuple[float, float]]] = {way: [] for way in epochs}
    for _ in range(1 + repeats):
        for way, epoch in epochs.items():
            wall, cpu = time.perf_counter(), time.process_time()
            epoch()
            seconds[way].append((time.perf_counter() - wall, time.process_time() - cpu))
    return {way: turns[1:] for way, turns in seconds.items()}


def line(name: str, other: str, seconds: dict[str, list[tuple[float, float]]]) -> str:
    """One line of the table."""
    here_s, other_s = (statistics.median(wall for wall, _ in seconds[way]) for way in ("here", other))
    cells = [f"{name:9} {other:9} {here_s:8.2f} {other_s:8.2f}"]
    for clock in range(2):
        turns = zip(seconds["here"], seconds[other], strict=True)
        ratios = [here[clock] / there[clock] for here, there in turns]
        cells.append(f"{statistics.median(ratios):6.2f} ({min(ratios):.2f} - {max(ratios):.2f})")
    return "   ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--batches", type=int, default=10, help="in an epoch of cnn and gru")
    parser.add_argument("--images", type=int, default=2, help="batches of images for resnet50")
    parser.add_argument("--models", nargs="+", default=["cnn", "gru", "resnet50"], choices=["cnn", "gru", "resnet50"])
    arguments = parser.parse_args()
    sets = {
        "cnn": (cnn, arguments.batches),
        "gru": (gru, arguments.batches),
        "resnet50": (resnet50, -(-arguments.batches // 5)),
    }
    print("model     other       here_s  other_s   wall: here / other     CPU: here / other")
    for name in arguments.models:
        job = SimpleNamespace(
            device="cpu",
            precision="float32",
            compile=False,
            threads=arguments.threads,
            seed=1,
            **MODELS[name].hyperparameters,
        )
        implementation = Implementation(IMPLEMENTATIONS / f"{name}.py")
        implementation.framework.configure(job)
        make, batches = sets[name]
        seconds = measure(make(implementation, job, batches), arguments.repeats)
        for other in ("2018", "shortest"):
            print(line(name, other, seconds), flush=True)


if __name__ == "__main__":
    main()
