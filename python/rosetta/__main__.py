"""Entry: `python python/rosetta COMMAND ...`, from the project folder; nothing needs to be installed for it."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # Started as a folder, so this folder leads the import path: put the one that holds the package there instead.
    sys.path[0] = str(Path(__file__).resolve().parents[1])

    from rosetta.cli import main

    sys.exit(main())
