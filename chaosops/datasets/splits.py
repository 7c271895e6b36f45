"""Splits incidents into those for training and those for testing."""

from __future__ import annotations

import hashlib
from enum import StrEnum


class Split(StrEnum):
    """A part of a data set."""

    TRAIN = "train"
    TEST = "test"


def split_of(scenario: str, test_share: float) -> Split:
    """Return the part of an incident, with all its episodes and seeds, in every export.

    Args:
        scenario: Its id, which alone decides.
        test_share: About this share of the incidents is for testing, 0 to 1. An incident that is
            in the test part at one share is in it at every larger one.
    """
    digest = hashlib.sha256(f"chaosops split 1: {scenario}".encode()).digest()
    point = int.from_bytes(digest[:8], "big") / 2**64
    return Split.TEST if point < test_share else Split.TRAIN
