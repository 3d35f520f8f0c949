"""The launcher: runs one job in a process of its own, within limits, and turns whatever becomes of it into an outcome.

    outcome = launch(command, job, environment, limits, log, label, install)

It promises that no process of a job outlives it (`keeper.py`) and that nothing a job does makes it raise.
"""

from rosetta.launch.interruption import Interrupted
from rosetta.launch.launcher import launch
from rosetta.launch.limits import Limits
from rosetta.launch.outcome import Outcome, ProcessFacts

__all__ = ["Interrupted", "Limits", "Outcome", "ProcessFacts", "launch"]
