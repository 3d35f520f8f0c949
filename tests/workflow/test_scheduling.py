"""Benchmarks never overlap, with the threads that the settings ask for."""

from .project import Project


def test_runs_never_overlap(project: Project) -> None:
    project.declare(dict.fromkeys(("one", "two", "three", "four"), "sleep 0.3"))
    project.snakemake("results/table.csv", "--cores", "8", "--config", "download=false", "runs=2")
    running = 0
    marks = sorted(project.trace(), key=lambda words: int(words[2]))
    assert len(marks) == 16
    for words in marks:
        running += 1 if words[0] == "start" else -1
        assert running in (0, 1), marks


def test_threads_come_from_the_settings_whatever_cores_says(project: Project) -> None:
    project.snakemake("results/table.csv", "--cores", "8", "--config", "download=false", "threads=3")
    assert {words[4] for words in project.trace() if words[0] == "start"} == {"3"}
    assert {line["threads"] for line in project.table()} == {"3"}


def test_the_profile_for_slurm_is_understood(project: Project) -> None:
    project.write("toy/one/gru.toy", "ok edited")
    arguments = ("-n", "--profile", "profiles/slurm", "--quiet=progress", "--config", "download=false", "threads=2")
    planned = project.snakemake("results/table.csv", *arguments)
    assert "runtime=40, wall_s=1800" in planned.split("rule run:")[1].split("rule ")[0]
