"""What a `framework.py` raises where this machine lacks what the job asks for."""


class UnavailableError(Exception):
    """A device, a number format or a package that is not there: the row is `unavailable`, not `failed`."""
