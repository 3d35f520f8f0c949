"""What a user can choose about the data."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DataSettings:
    """Where data may come from, and how much is wanted.

    Attributes:
        data_dir: the user's files (a folder, or one archive); None where he named none.
        download: may the official sets be downloaded?
        seed: for the order of examples, for splits, crops and generated sets.
        photos: how many photographs resnet50 gets.
    """

    data_dir: Path | None
    download: bool
    seed: int
    photos: int
