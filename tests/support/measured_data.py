"""Measured data that stands beside the repository, if it does; none of it is part of it."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def measured_data(name: str) -> Path:
    """A folder or file of the measured data: under YAWARA_DATA, or in ../shared/data; the test is skipped without."""
    place = Path(os.environ.get("YAWARA_DATA") or ROOT.parent / "shared" / "data") / name
    if not place.exists():
        pytest.skip(f"no measured data at {place}; set YAWARA_DATA to where they are")
    return place
