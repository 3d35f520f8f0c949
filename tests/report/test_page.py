"""The page's figures are the table's, its reasons are told, and it needs nothing but itself."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from rosetta.errors import RosettaError
from rosetta.languages import discover
from rosetta.report.stone import MARKER, SECTIONS

from .conftest import make_page
from .results import line, mixed, write

ROOT = Path(__file__).resolve().parents[2]


def cells(row: Tag) -> list[str]:
    return [" ".join(cell.get_text(" ").split()) for cell in row.find_all(["th", "td"])]


def body(table: Tag) -> list[list[str]]:
    return [cells(row) for row in table.find("tbody").find_all("tr")]


def part(soup: BeautifulSoup, name: str) -> Tag:
    """The part of the page under a heading with this id."""
    return soup.find(id=name).find_parent("div", class_="part")


def parsed(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(), "html.parser")


def test_verified_rows_are_ranked_with_spread_and_ties(soup: BeautifulSoup) -> None:
    chart = part(soup, "rank-gru").find("table")
    assert body(chart) == [
        ["1", "PyTorch Python", "", "800", "770–830 tie with 2"],
        ["2", "TensorFlow Python", "", "760", "740–780 tie with 1"],
        ["3", "Julia's standard library Julia native", "", "700", "695–705"],
        ["4", "Julia's standard library Julia juliacall", "", "690", "686–694"],
        ["5", "Keras on PyTorch Python", "", "90.5", "89.5–91.5"],
    ]
    widths = [float(re.search(r"width:([\d.]+)%", str(bar))[1]) for bar in chart.find_all(class_="bar")]
    assert widths == pytest.approx([100 * rate / 830 for rate in (800, 760, 700, 690, 90.5)], abs=0.01)
    spread = chart.find(class_="spread")["style"]
    left, right = map(float, re.findall(r"[\d.]+", spread))
    assert (left, right) == pytest.approx((100 * 770 / 830, 0), abs=0.01)


def test_other_rows_are_listed_with_their_reasons(soup: BeautifulSoup) -> None:
    listed = [" ".join(item.get_text(" ").split()) for item in part(soup, "rank-gru").select(".unranked li")]
    assert listed == [
        "unverified JAX Python 900 samples/s the losses differ",
        "deviates Keras on TensorFlow Python 850 samples/s squares too early",
        "verified ONNX Runtime Python only predicts, with a model that others train: see prediction alone",
        "failed Keras on JAX Python <script>alert('no')</script> & killed: raise limits",
    ]
    assert soup.find("script", string=re.compile("alert")) is None
    predictions = part(soup, "rank-gru").find_all("table")[1]
    # 1,024 examples in .5 s; in .75 s all others
    assert [row[:2] for row in body(predictions)][:2] == [["1", "ONNX Runtime Python"], ["2", "PyTorch Python"]]
    assert [row[3] for row in body(predictions)] == ["2,048", *["1,365"] * 5]
    # One reason is said once.
    (group,) = part(soup, "rank-cnn").select(".unranked li")
    assert [name.get_text() for name in group.select("a")] == ["Keras on JAX", "Keras on PyTorch"]
    assert "CNTK" in part(soup, "rank-gru").select_one(".unwritten").get_text()


def test_devices_are_ranked_apart_and_far_figures_are_logarithmic(soup: BeautifulSoup) -> None:
    charts = part(soup, "rank-cnn").find_all("table")
    assert [[row[:2] for row in body(chart)] for chart in charts] == [
        [["1", "PyTorch Python"]],
        [["1", "TensorFlow Python"], ["2", "JAX Python"]],
    ]
    assert "NVIDIA H200" in charts[0].caption.get_text()
    assert "Example 9000" in charts[1].caption.get_text()
    assert "logarithmic" in charts[1].caption.get_text()
    assert len(charts[1].select("tbody .dot")) == 2
    assert "Each row ran once" in charts[1].caption.get_text()


def test_all_figures_are_the_tables_own(soup: BeautifulSoup, mixed_page: Path) -> None:
    with (mixed_page.parent / "table.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    table = soup.select_one(".sortable")
    heads = [" ".join(head.get_text().split()) for head in table.find("thead").find_all("th")]
    columns = {"rank": "rank", "samples/s": "samples_per_s", "CPU s": "cpu_s", "accuracy": "accuracy", "runs": "runs"}
    columns |= {
        f"{name} s": f"{name.replace(' ', '_')}_s" for name in ("start", "import", "first step", "epoch", "wall")
    }
    shown = [dict(zip(heads, row, strict=True)) for row in body(table)]
    assert len(shown) == len(lines) == len(mixed())
    for row, expected in zip(shown, lines, strict=True):
        assert {name: row[name] for name in columns} == {name: expected[column] for name, column in columns.items()}


def test_phases_add_up(soup: BeautifulSoup) -> None:
    rows = body(part(soup, "time-gru").find("table"))
    assert rows[0][0] == "PyTorch Python"
    # .05 + 1.25 + .004 + .2 + .5, and 2 epochs of 1280 / 800 and .75
    assert (rows[0][2], rows[0][4]) == ("2.00 s", "3.95 s")
    first = part(soup, "time-gru").find("tbody").find("tr")
    assert [phase["title"] for phase in first.select(".plot i")] == [
        *("start 50.0 ms", "import 1.25 s", "load 4.00 ms", "build 0.200 s", "first step 0.500 s"),
        *("epochs 3.20 s", "predict 0.750 s"),
    ]


def test_a_bridge_costs_what_it_adds(soup: BeautifulSoup) -> None:
    (row,) = body(soup.find(id="bridges").find("table"))
    assert row == [
        "gru",
        "Julia's standard library Julia",
        "juliacall",
        "+3.00 s",
        "0.986 × beyond the spread",
        "+200 MB",
    ]


def test_the_proof_shows_losses_and_distances(soup: BeautifulSoup) -> None:
    proof = part(soup, "proof-gru")
    curves = proof.svg.find_all(id=re.compile(r"^loss-\d+$"))
    assert len(curves) == 7  # all rows that ran
    assert all(len(curve.path["d"].split()) > 100 for curve in curves)
    assert "dashed: not verified" in proof.figcaption.get_text()
    distances = {row[0]: row[-1] for row in body(proof.find("table"))}
    assert distances["PyTorch Python"] == "0.050"  # 1e-6 of 2e-5
    assert distances["Keras on TensorFlow Python deviates"] == "90,000"


def test_time_to_the_target_is_shown_where_it_was_asked_for(tmp_path: Path) -> None:
    reached = line("python/pytorch/gru/native", 5.0, target_accuracy=0.84, seconds_to_target=61.25)
    not_reached = line("python/jax/gru/native", 4.0, target_accuracy=0.84)
    page = parsed(make_page(write(tmp_path, [reached, not_reached], evaluate=True)))
    assert [row[2] for row in body(part(page, "proof-gru").find("table"))] == ["61.2 s", "not reached"]


def test_figures_of_2018_stand_apart(soup: BeautifulSoup) -> None:
    rows = {row[0]: row[2:] for row in body(part(soup, "history-cnn").find("table"))}
    assert rows["Tensorflow"] == ["173 s", "57 s", "1,429 s cpu"]  # 500,000 images at 350 a second
    assert rows["PyTorch"] == ["169 s", "51 s", "100 s cuda"]
    assert rows["Julia - Knet"] == ["159 s", "", ""]
    assert {row[0]: row[2] for row in body(part(soup, "history-resnet50").find("table"))}["Caffe2"] == "14.1 s"


def test_generated_data_are_named_in_every_heading(soup: BeautifulSoup) -> None:
    for name in ("rank-cnn", "time-cnn", "memory-cnn", "proof-cnn"):
        assert "generated data, not a real data set" in soup.find(id=name).get_text()
        assert "generated" not in soup.find(id=name.replace("cnn", "gru")).get_text()


def test_it_says_how_it_was_made(soup: BeautifulSoup) -> None:
    made = soup.find(id="made").get_text()
    for said in (
        "snakemake --cores 1 results/table.csv",
        "Example 9000",
        "2026-11-30 10:00",
        "generated images",
        "ab12ab12ab12",
    ):
        assert said in made
    commit = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False
    )
    assert commit.stdout.strip() in made


def test_the_command_holds_what_differs_from_the_settings_file(tmp_path: Path) -> None:
    page = parsed(
        make_page(write(tmp_path, [line("python/pytorch/gru/native", 1.0)], runs=5, only={"models": ["gru"]}))
    )
    made = page.find(id="made").find("pre").get_text()
    assert "snakemake --cores 1 results/table.csv --config 'only={models: [gru]}' runs=5" in made


def test_the_stone_holds_every_line_of_every_file(soup: BeautifulSoup) -> None:
    shown = 0
    for language in discover(ROOT).values():
        for framework in language.frameworks.values():
            for model in framework.models:
                key = f"stone/{model}/{framework.folder.relative_to(ROOT)}"
                code = "\n".join(block.get_text() for block in soup.find(id=key).find_all("pre"))
                source = MARKER.sub("", language.source(framework, model).read_text())
                assert [text for text in code.split("\n") if text] == [
                    text for text in source.split("\n") if text.strip()
                ]
                shown += 1
    assert shown >= 12


def test_sections_are_aligned_and_coloured(soup: BeautifulSoup) -> None:
    shown = []
    for article in soup.select("#stone [data-model=gru] article"):
        assert len(article.select(".cut")) == 5
        heads = [head.get_text() for head in article.select("h4")]
        assert heads == [name for name in SECTIONS if name != "training" or "training" in heads]
        shown.append(len(heads))
    assert sorted(set(shown)) == [4, 5]  # a framework that only predicts leaves a gap
    for key in ("stone/gru/python/pytorch", "stone/gru/julia/base"):
        code = soup.find(id=key)
        for kind in ("k", "c", "m"):
            assert code.select(f"pre .{kind}"), (key, kind)


def test_the_page_needs_no_other(mixed_page: Path, soup: BeautifulSoup) -> None:
    for element in soup.find_all(True):
        for attribute in ("src", "href", "xlink:href", "srcset"):
            value = element.get(attribute, "")
            assert value == "" or value.startswith(("#", "data:")), element
    assert not re.search(r"url\((?!#)|@import", mixed_page.read_text())
    assert len({element["id"] for element in soup.find_all(id=True)}) == len(soup.find_all(id=True))


def test_it_is_the_same_each_time(mixed_page: Path, tmp_path: Path) -> None:
    assert make_page(write(tmp_path, mixed())).read_text() == mixed_page.read_text()


def test_five_hundred_rows_make_less_than_two_megabytes(tmp_path: Path) -> None:
    frameworks = ("pytorch", "tensorflow", "keras-torch", "jax")
    lines = [
        line(f"python/{frameworks[number % 4]}/{model}/bridge-{number}", 100.0 + number, 3.0)
        for model in ("cnn", "gru", "resnet50")
        for number in range(167)
    ]
    page = make_page(write(tmp_path, lines, steps=400))
    assert page.stat().st_size < 2_000_000
    assert page.read_text().count('id="loss-') == 2 * 167


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "The table has no rows."),
        ([line("python/pytorch/gru/native")], "No row of this model is verified"),
        ([line("python/pytorch/gru/native", 5.0, verified="no", verdict="off")], "No row of this model is verified"),
        ([line("python/pytorch/gru/native", 5.0)], "Each row ran once, so nothing is known of its spread"),
        ([line("rust/burn/gru/native", 5.0)], "burn"),
    ],
)
def test_little_makes_a_page_too(lines: list, said: str, tmp_path: Path) -> None:
    assert said in parsed(make_page(write(tmp_path, lines))).get_text()


def test_runs_without_files_have_no_curve(tmp_path: Path) -> None:
    folder = write(tmp_path, [line("python/pytorch/gru/native", 5.0)])
    (folder / "runs/python/pytorch/gru/native/1.json").unlink()
    page = parsed(make_page(folder))
    assert page.find("svg") is None
    assert "1" in body(part(page, "rank-gru").find("table"))[0]


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("runs.csv", None, "runs.csv cannot be read"),
        ("table.csv", "a,b\n1,2\n", "table.csv lacks the column language"),
        ("settings.json", "{", "settings.json cannot be read"),
    ],
)
def test_what_cannot_be_read_is_named_and_leaves_no_page(
    file: str, text: str | None, said: str, tmp_path: Path
) -> None:
    folder = write(tmp_path, [line("python/pytorch/gru/native", 5.0)])
    (folder / file).unlink() if text is None else (folder / file).write_text(text)
    with pytest.raises(RosettaError, match=re.escape(said)):
        make_page(folder)
    assert not (folder / "report.html").exists()


def test_a_package_that_is_not_installed_is_named() -> None:
    code = "import sys; sys.modules['matplotlib'] = None; from rosetta.cli import main; sys.exit(main(['report']))"
    environment = {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        "error: the report needs matplotlib, which is not installed in this Python: pip install -r envs/runner.txt\n"
    )


def test_the_command_line_makes_it(tmp_path: Path) -> None:
    folder = write(tmp_path, mixed())
    command = [sys.executable, str(ROOT / "python/rosetta"), "report"]
    files = [folder / name for name in ("table.csv", "runs.csv", "settings.json", "report.html")]
    subprocess.run([*command, *files], cwd=ROOT, check=True, timeout=60)
    assert files[-1].read_text().startswith("<!doctype html>")
    (folder / "table.csv").unlink()
    done = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "Make it: snakemake --cores 1 results/table.csv" in done.stderr
    assert "Traceback" not in done.stderr
