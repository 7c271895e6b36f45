"""Drafts for tests: made without a proof, which takes long."""

from __future__ import annotations

from functools import cache

from chaosops.env.models import Difficulty
from chaosops.generation.candidates import DraftMaker
from chaosops.generation.draft import SituationDraft
from chaosops.generation.spec import SituationSpec


@cache
def unproven(
    seed: int, level: Difficulty, topology: str | None = None, services: int | None = None
) -> SituationDraft | None:
    """The first draft of a spec, with every candidate; None if too few causes fit together."""
    return DraftMaker.of(SituationSpec(seed, level, topology, services)).draft(0)
