"""The energy that processors and GPUs used, where this machine lets it be read.

Processors: Intel's and AMD's counters (RAPL) in /sys/class/powercap, which many systems show to root alone.
GPUs, all of the machine: NVIDIA's library (NVML), if the package nvidia-ml-py is installed.
"""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

POWERCAP = Path("/sys/class/powercap")
READING_INTERVAL_S = 60  # a counter starts again from 0 after 260 kJ and more, which takes a big processor minutes


@dataclass(frozen=True)
class Counter:
    """A reading of an energy counter; it starts again from 0 after `range_microjoules`, None: never."""

    microjoules: int
    range_microjoules: int | None = None


def read_counters(gpus: bool, powercap: Path = POWERCAP) -> dict[str, Counter]:
    """Read all counters that can be read, of processors and, if asked for, of GPUs: name -> reading."""
    return {**dict(_processors(powercap)), **(dict(_gpus()) if gpus else {})}


def joules(before: Mapping[str, Counter], after: Mapping[str, Counter]) -> float | None:
    """The energy between two readings not further apart than a counter's range; None where nothing was read."""
    both = before.keys() & after.keys()
    return sum(_microjoules(before[name], after[name]) for name in both) / 1e6 if both else None


class EnergyMeter:
    """Adds up the energy used while a `with` block lasts: afterwards `joules` is the sum, None where not measurable."""

    def __init__(self, gpus: bool, powercap: Path = POWERCAP, interval_s: float = READING_INTERVAL_S) -> None:
        self.joules: float | None = None
        self._gpus = gpus
        self._powercap = powercap
        self._interval_s = interval_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read_on, daemon=True)

    def __enter__(self) -> "EnergyMeter":
        self._last = read_counters(self._gpus, self._powercap)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._add()

    def _read_on(self) -> None:
        while self._last and not self._ended.wait(self._interval_s):
            self._add()

    def _add(self) -> None:
        now = read_counters(self._gpus, self._powercap)
        used = joules(self._last, now)
        if used is not None:
            self.joules = (self.joules or 0) + used
        self._last = now


def _microjoules(before: Counter, after: Counter) -> int:
    used = after.microjoules - before.microjoules
    if used < 0 and after.range_microjoules:
        used += after.range_microjoules
    return max(0, used)


def _processors(powercap: Path) -> Iterator[tuple[str, Counter]]:
    """Each package and its memory. What else there is (cores, uncore, psys) is part of a package or holds it."""
    for zone in sorted(powercap.glob("intel-rapl:*")):
        try:
            kind = (zone / "name").read_text(encoding="ascii").strip()
            if kind.startswith("package") or kind == "dram":
                readings = [int((zone / name).read_text()) for name in ("energy_uj", "max_energy_range_uj")]
                yield zone.name, Counter(*readings)
        except (OSError, ValueError):
            continue


def _gpus() -> Iterator[tuple[str, Counter]]:
    try:
        import pynvml
    except ImportError:
        return
    try:
        pynvml.nvmlInit()
        for index in range(pynvml.nvmlDeviceGetCount()):
            millijoules = pynvml.nvmlDeviceGetTotalEnergyConsumption(pynvml.nvmlDeviceGetHandleByIndex(index))
            yield f"gpu{index}", Counter(1000 * millijoules)
    except pynvml.NVMLError:
        return
