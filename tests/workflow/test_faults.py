"""Every way in which a run can go wrong becomes a row; the other rows are made; `check` goes red."""

from pathlib import Path

import pytest

from .project import Project, copied

# framework -> what its implementation does, and what its reason must say
FAULTS = {
    "raises": ("raise", "RuntimeError: the toy broke"),
    "segfaults": ("segfault", "SIGSEGV"),
    "hangs": ("hang", "limits.wall_s"),
    "eats": ("eat 2000", "limits.memory_gib"),
    "silent": ("silent", "record"),
    "garbles": ("garble", "JSON"),
    "malforms": ("malform", "threads"),
    "refuses": ("refuse", "the toy refuses"),
}
LIMITS = "limits={'wall_s': 4, 'memory_gib': 0.5, 'exit_grace_s': 2}"


@pytest.fixture(scope="module")
def faulty(finished: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = copied(finished, tmp_path_factory.mktemp("faulty") / "project")
    deeds = {name: deed for name, (deed, _) in FAULTS.items()}
    declared = {
        name: {"title": name, "packages": ["there"], "install": f"install-{name}", "models": ["gru"]}
        for name in ["fine", *FAULTS]
    }
    declared["lacking"] = {"title": "Lacking", "packages": ["absent"], "install": "install-lacking", "models": ["gru"]}
    declared["homeless"] = {
        "title": "Homeless",
        "packages": [],
        "install": "install-homeless",
        "interpreter": ["no-such-interpreter"],
        "models": ["gru"],
    }
    project.declare({"fine": "ok", **deeds, "lacking": "ok", "homeless": "ok"}, frameworks=declared)
    project.snakemake("results/table.csv", "--config", "download=false", LIMITS)
    return project


@pytest.mark.parametrize("framework", FAULTS)
def test_a_fault_is_a_failed_row_with_its_reason(faulty: Project, framework: str) -> None:
    line = faulty.line(framework)
    assert line["status"] == "failed"
    assert FAULTS[framework][1] in line["reason"]
    assert "\n" not in line["reason"]
    assert line["verified"] == ""
    assert line["rank"] == ""


def test_the_others_are_made(faulty: Project) -> None:
    assert faulty.line("fine")["status"] == "ok"
    assert len(faulty.table()) == len(FAULTS) + 3


@pytest.mark.parametrize(
    ("framework", "said"),
    [("lacking", "not installed: absent. Install it: install-lacking"), ("homeless", "Install it: install-toy")],
)
def test_what_is_not_installed_is_an_unavailable_row(faulty: Project, framework: str, said: str) -> None:
    line = faulty.line(framework)
    assert line["status"] == "unavailable"
    assert said in line["reason"]


def test_check_goes_red_and_names_each_problem(faulty: Project) -> None:
    output = faulty.snakemake("check", "--config", "download=false", LIMITS, code=1)
    for name in FAULTS:
        assert f"toy/{name}/gru/native failed" in output
    assert "toy/fine/gru/native is not verified" in output


def test_a_crash_leaves_its_log(faulty: Project) -> None:
    log = Path(faulty.folder / "results/runs/toy/raises/gru/native/1.log")
    assert "Traceback" in log.read_text()
