"""The report in the workflow: made from the table, and again when what it shows has changed."""

from .project import Project

TARGET = ("results/report.html", "--config", "download=false")


def test_the_report_is_made_from_the_table(project: Project) -> None:
    project.snakemake(*TARGET)
    page = project.folder / "results/report.html"
    for name in ("one", "two"):
        assert f"toy/{name}/gru.toy" in page.read_text()

    terms = (project.folder / "docs/terms.yaml").read_text()
    project.write("docs/terms.yaml", terms.replace("concept: Embedding", "concept: Einbettung"))
    project.snakemake(*TARGET)
    assert "Einbettung" in page.read_text()
    assert project.started() == []
    assert "Nothing to be done" in project.snakemake(*TARGET)
