"""What others do while a run lasts."""

from pathlib import Path

from rosetta.load import Load, Reading, between, read


def test_other_cores() -> None:
    assert between(Reading(100, None), Reading(118, None), wall_s=10, own_cpu_s=15) == Load(0.3, None)


def test_rounding_of_the_kernel_s_counts_is_no_load() -> None:
    assert between(Reading(100, None), Reading(109.9, None), wall_s=10, own_cpu_s=10).other_cores == 0


def test_throttles(tmp_path: Path) -> None:
    for core, count in enumerate((3, 4)):
        folder = tmp_path / f"cpu{core}" / "thermal_throttle"
        folder.mkdir(parents=True)
        (folder / "core_throttle_count").write_text(f"{count}\n")
    assert read(tmp_path).throttles == 7
    assert between(Reading(0, 2), Reading(0, 7), wall_s=1, own_cpu_s=0).throttles == 5
    assert read(tmp_path / "none").throttles is None


def test_the_machine_s_counters_grow() -> None:
    before = read().busy_s
    sum(range(5_000_000))
    assert read().busy_s > before > 0
