"""Errors that are the user's to mend: shown as one message, without a traceback."""


class RosettaError(Exception):
    """What is wrong, where, and what to do about it."""
