"""The runner: prepares data, launches jobs, referees and tabulates. It knows no framework and no language."""

__version__ = "0.1.0"
