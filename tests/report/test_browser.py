"""The page in a real browser: on a desktop and on a phone, in light and dark, on paper, and without JavaScript."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .results import mixed, write

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: make setup-dev")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed: make setup-dev")

ROOT = Path(__file__).resolve().parents[2]
SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 375, "height": 800}}

# What lies on each other, leaves the page or is cut, as sentences.
FAULTS = Path(__file__).with_name("faults.js").read_text()


@pytest.fixture(scope="module")
def browser() -> Iterator["sync_api.Browser"]:
    own = ROOT / "envs/.cache/browser/chromium"
    names = ("chromium", "chromium-browser", "google-chrome")
    program = next(filter(None, map(shutil.which, names)), None) or (str(own) if own.exists() else None)
    if program is None:
        pytest.skip("there is no Chromium: envs/browser.sh gets one where it can")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser: "sync_api.Browser", mixed_page: Path) -> Iterator:
    """Opens the mixed page, or another; whatever goes wrong in it or is loaded from elsewhere fails the test."""
    contexts, wrong = [], []

    def opened(
        fragment: str = "", path: Path = mixed_page, size: str = "desktop", **options: object
    ) -> "sync_api.Page":
        context = browser.new_context(viewport=SIZES[size], **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda request: wrong.append(request.url) if not request.url.startswith(("file:", "data:")) else None,
        )
        page.goto(path.as_uri() + fragment)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def visible(page: "sync_api.Page", selector: str) -> list[str]:
    return [" ".join(one.inner_text().split()) for one in page.locator(selector).all() if one.is_visible()]


def background(page: "sync_api.Page") -> int:
    """How light the page's background is, from 0 to 255."""
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return int(colour.removeprefix("rgb(").partition(",")[0])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overlaps_and_everybody_can_read_it(open_page, size: str, scheme: str) -> None:
    page = open_page(size=size, color_scheme=scheme)
    assert (background(page) > 200) == (scheme == "light")
    for details in page.locator("details").all():
        details.evaluate("(element) => (element.open = true)")
    assert page.evaluate(FAULTS) == []
    for name in ("rank", "time", "memory", "proof"):
        assert page.locator(f"#{name}-gru").is_visible()
    for picture in page.locator("figure svg").all():
        assert "training loss by step" in picture.get_attribute("aria-label")
        assert picture.bounding_box()["width"] > 250
    found = axe.Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]})
    violations = [
        (one["id"], one["impact"], [node["html"][:120] for node in one["nodes"][:3]])
        for one in found.response["violations"]
    ]
    assert violations == []


def test_filters_and_sorting(open_page) -> None:
    page = open_page()
    assert "16 rows" in page.locator("#filters output").inner_text()
    page.locator("#filters [name=language]").select_option("julia")
    assert (
        visible(page, "#results tbody .who")
        == ["Julia's standard library Julia native", "Julia's standard library Julia juliacall"] * 2
    )
    assert visible(page, "#results .unranked li") == []
    assert page.locator("#loss-0").is_hidden()
    assert "2 of 16 rows" in page.locator("#filters output").inner_text()
    page.get_by_role("button", name="Reset").click()
    page.locator("#filters [name=model]").select_option("cnn")
    assert page.locator("#rank-gru").is_hidden()
    assert page.locator("#rank-cnn").is_visible()
    page.locator("#filters [name=device]").select_option("cuda")
    assert visible(page, "#results tbody .who") == ["PyTorch Python"]
    page.get_by_role("button", name="Reset").click()
    page.locator("#filters [name=sort]").select_option("framework")
    names = visible(page, "#results table:first-of-type tbody .who")
    gru = names[names.index("Julia's standard library Julia native") :][:5]
    assert gru == [
        "Julia's standard library Julia native",
        "Julia's standard library Julia juliacall",
        "Keras on PyTorch Python",
        "PyTorch Python",
        "TensorFlow Python",
    ]


def test_the_table_of_all_figures_sorts(open_page) -> None:
    page = open_page()
    page.locator("#figures summary").click()
    rates = "#figures tbody td:nth-child(9)"
    page.get_by_role("button", name="samples/s").click()
    rising = [float(text) for text in visible(page, rates) if text]
    assert rising == sorted(rising)
    page.get_by_role("button", name="samples/s").click()
    assert [float(text) for text in visible(page, rates) if text] == rising[::-1]
    assert page.locator("#figures th[aria-sort=descending]").count() == 1
    page.get_by_role("button", name="framework").click()
    names = visible(page, "#figures tbody th")
    assert names == sorted(names, key=str.lower)


def test_a_link_chooses_what_is_laid_side_by_side(open_page) -> None:
    page = open_page()
    articles = "#stone article"
    assert len(visible(page, f"{articles} h3")) == 2
    page.get_by_label("gru", exact=True).check()
    page.locator("#stone").get_by_label("JAX Python", exact=True).check()
    assert len(visible(page, f"{articles} h3")) == 3
    link = page.locator("#stone-link").get_attribute("href")
    assert link == "#stone/gru/julia/base+python/pytorch+python/jax"

    shared = open_page(link)
    assert len(visible(shared, f"{articles} h3")) == 3
    assert shared.locator("#stone").evaluate("(stone) => stone.getBoundingClientRect().top") < 300
    # The same part begins at the same height in all of them.
    for part in ("model", "build", "training", "prediction"):
        tops = [
            one.bounding_box()["y"] for one in shared.locator("article h4", has_text=part).all() if one.is_visible()
        ]
        assert len(tops) == 3
        assert max(tops) - min(tops) < 1
    shared.get_by_text("only the implementations chosen above").click()
    assert len(visible(shared, "#term-adam [data-implementation]")) == 3

    # A row's name leads to its file.
    page.locator("#results").get_by_role("link", name="TensorFlow", exact=True).first.click()
    assert visible(page, f"{articles} h3") == ["TensorFlow Python"]


def test_light_and_dark_can_be_chosen(open_page) -> None:
    page = open_page(color_scheme="light")
    page.get_by_role("button", name="Dark").click()
    assert background(page) < 60
    page.get_by_role("button", name="Light").click()
    assert background(page) > 200


def test_it_can_be_read_without_javascript(open_page) -> None:
    page = open_page(java_script_enabled=False)
    assert page.locator("#filters").is_hidden()
    assert page.locator("#theme").is_hidden()
    assert len(visible(page, "#results tbody tr")) > 8
    assert page.locator("#loss-0").is_visible()
    page.locator("#stone").get_by_text("gru", exact=True).first.click()
    page.locator("#stone").get_by_label("TensorFlow Python", exact=True).check()
    assert visible(page, "#stone article .file") == [
        "julia/base/gru.jl",
        "python/pytorch/gru.py",
        "python/tensorflow/gru.py",
    ]


def test_it_prints_in_light_and_whole(open_page) -> None:
    page = open_page(color_scheme="dark")
    page.emulate_media(media="print")
    assert background(page) > 200
    assert page.locator(".top").is_hidden()
    assert page.locator("#filters").is_hidden()
    assert page.evaluate(FAULTS) == []
    assert page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("size", SIZES)
def test_a_comparison_can_be_read(open_page, size: str, tmp_path: Path) -> None:
    from rosetta.compare import compare
    from rosetta.report.compared import write_comparison

    before = write(tmp_path / "a", mixed()) / "table.csv"
    changed = [line for line in mixed() if line.row.framework != "tensorflow"]
    for line in changed:
        for column in ("samples_per_s", "samples_per_s_low", "samples_per_s_high"):
            if column in line.values and line.row.language == "julia":
                line.values[column] *= 1.5
    after = write(tmp_path / "b", changed) / "table.csv"
    write_comparison(compare(before, after), before, after, tmp_path / "changes.html")
    page = open_page(path=tmp_path / "changes.html", size=size)
    assert "base" in " ".join(visible(page, "#faster .who"))
    assert page.evaluate(FAULTS) == []
    assert axe.Axe().run(page).response["violations"] == []
