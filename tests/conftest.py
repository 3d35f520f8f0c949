"""What all tests share."""

import os
import tempfile

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Let JAX's processes take from one another what was compiled already: most of its tests' time is compilation."""
    cache = tempfile.TemporaryDirectory(prefix="rosetta-jax-", ignore_cleanup_errors=True)
    config.add_cleanup(cache.cleanup)
    os.environ["JAX_COMPILATION_CACHE_DIR"] = cache.name
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
