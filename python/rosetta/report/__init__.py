"""The report: results/report.html, with the results and the implementations side by side. See docs/report.md."""

from rosetta.report.page import write_report

__all__ = ["write_report"]
