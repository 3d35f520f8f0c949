"""Tells versions without importing anything big: `python probe.py PACKAGE...` prints JSON."""

from __future__ import annotations

import json
import platform
import sys


def version(package: str) -> str | None:
    """The version of an installed package, by its name on the registry or as it is imported; None if it is missing."""
    try:
        from importlib import metadata
    except ImportError:  # Python 3.7
        import pkg_resources

        try:
            return pkg_resources.get_distribution(package).version
        except pkg_resources.DistributionNotFound:
            return None
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        # tensorflow-cpu and onnxruntime-gpu are imported as tensorflow and onnxruntime. Python 3.10 and later know.
        if not hasattr(metadata, "packages_distributions"):
            return None
        providers = metadata.packages_distributions().get(package)
        return metadata.version(providers[0]) if providers else None


def versions(packages: list[str]) -> dict[str, str | None]:
    """Package -> version, or None where it is not installed."""
    return {package: version(package) for package in packages}


if __name__ == "__main__":
    print(json.dumps({"version": platform.python_version(), "packages": versions(sys.argv[1:])}))
