"""The data sets: found, read and written as Arrow files that all languages map.

`prepare(model, folder, settings)` is the door; `docs/data.md` tells the sources and the formats.
"""

from rosetta.data.prepare import prepare
from rosetta.data.settings import DataSettings

__all__ = ["DataSettings", "prepare"]
