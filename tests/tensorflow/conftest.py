"""The mutants' small data sets serve here too."""

from tests.mutants.conftest import prepared

__all__ = ["prepared"]
