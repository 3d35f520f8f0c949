"""Energy from a made-up /sys/class/powercap, and from a made-up library of NVIDIA's."""

import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from rosetta.energy import Counter, EnergyMeter, joules, read_counters

RANGE = 1_000_000_000


def zone(powercap: Path, folder: str, name: str, microjoules: int) -> None:
    path = powercap / folder
    path.mkdir(parents=True, exist_ok=True)
    (path / "name").write_text(f"{name}\n")
    (path / "energy_uj").write_text(f"{microjoules}\n")
    (path / "max_energy_range_uj").write_text(f"{RANGE}\n")


def test_packages_and_memory_are_counted_but_their_parts_are_not(tmp_path: Path) -> None:
    zone(tmp_path, "intel-rapl:0", "package-0", 5)
    zone(tmp_path, "intel-rapl:0:0", "core", 3)
    zone(tmp_path, "intel-rapl:0:1", "dram", 7)
    zone(tmp_path, "intel-rapl:1", "psys", 9)
    found = read_counters(gpus=False, powercap=tmp_path)
    assert found == {"intel-rapl:0": Counter(5, RANGE), "intel-rapl:0:1": Counter(7, RANGE)}


def test_nothing_to_read(tmp_path: Path) -> None:
    assert read_counters(gpus=False, powercap=tmp_path / "none") == {}
    zone(tmp_path, "intel-rapl:0", "package-0", 5)
    (tmp_path / "intel-rapl:0" / "energy_uj").unlink()
    (tmp_path / "intel-rapl:0" / "energy_uj").mkdir()  # as unreadable for root as for others
    assert read_counters(gpus=False, powercap=tmp_path) == {}
    assert joules({}, {}) is None


def test_joules() -> None:
    before = {"a": Counter(1_000_000, RANGE), "b": Counter(2_000_000)}
    assert joules(before, {"a": Counter(3_500_000, RANGE), "b": Counter(2_500_000)}) == 3.0


def test_a_counter_that_started_again() -> None:
    assert joules({"a": Counter(RANGE - 1_000_000, RANGE)}, {"a": Counter(2_000_000, RANGE)}) == 3.0


def test_a_counter_that_went_away_is_left_out() -> None:
    assert joules({"a": Counter(0), "b": Counter(0)}, {"a": Counter(1_000_000)}) == 1.0


def test_meter(tmp_path: Path) -> None:
    zone(tmp_path, "intel-rapl:0", "package-0", 1_000_000)
    with EnergyMeter(gpus=False, powercap=tmp_path) as meter:
        zone(tmp_path, "intel-rapl:0", "package-0", 4_000_000)
    assert meter.joules == 3.0


def test_meter_follows_a_counter_that_starts_again_more_than_once(tmp_path: Path) -> None:
    zone(tmp_path, "intel-rapl:0", "package-0", 0)
    with EnergyMeter(gpus=False, powercap=tmp_path, interval_s=0.01) as meter:
        for _ in range(2):
            for microjoules in (RANGE // 2, 0):
                (tmp_path / "new").write_text(str(microjoules))
                (tmp_path / "new").replace(tmp_path / "intel-rapl:0" / "energy_uj")
                time.sleep(0.1)
    assert meter.joules == pytest.approx(2 * RANGE / 1e6)


def test_meter_where_nothing_can_be_read(tmp_path: Path) -> None:
    with EnergyMeter(gpus=False, powercap=tmp_path) as meter:
        pass
    assert meter.joules is None


@pytest.fixture
def pynvml(monkeypatch: pytest.MonkeyPatch) -> Any:
    """NVIDIA's library on a machine with two GPUs."""
    library: Any = ModuleType("pynvml")
    library.NVMLError = type("NVMLError", (Exception,), {})
    library.nvmlInit = lambda: None
    library.nvmlDeviceGetCount = lambda: 2
    library.nvmlDeviceGetHandleByIndex = lambda index: index
    library.nvmlDeviceGetTotalEnergyConsumption = lambda handle: [5_000, 7_000][handle]
    monkeypatch.setitem(sys.modules, "pynvml", library)
    return library


def test_gpus_are_counted_in_microjoules_where_they_are_asked_for(pynvml: Any, tmp_path: Path) -> None:
    assert read_counters(gpus=True, powercap=tmp_path) == {"gpu0": Counter(5_000_000), "gpu1": Counter(7_000_000)}
    assert read_counters(gpus=False, powercap=tmp_path) == {}


@pytest.mark.parametrize("call", ["nvmlInit", "nvmlDeviceGetTotalEnergyConsumption"])
def test_a_gpu_that_does_not_tell_its_energy(pynvml: Any, tmp_path: Path, call: str) -> None:
    def refuse(*arguments: Any) -> None:
        raise pynvml.NVMLError("not supported")

    setattr(pynvml, call, refuse)
    assert read_counters(gpus=True, powercap=tmp_path) == {}
