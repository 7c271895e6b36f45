"""What each incident of the tutorial introduces."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import yaml
from pydantic import Field

from chaosops.env.models import Difficulty, Source
from chaosops.env.models.topology import Name, Strict
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.schema import Prose

_FILE: Final = "tutorial.yaml"


class TutorialLesson(Strict):
    """What an incident of the tutorial introduces.

    Attributes:
        instrument: The instrument that is new.
        first: The source of the first look.
        read: How the instrument is read, in a sentence.
        keys: Whether the coach names the keys of every move.
    """

    id: Name
    instrument: Source
    first: Source
    read: Prose
    keys: bool = False


class _Tutorial(Strict):
    incidents: tuple[TutorialLesson, ...] = Field(min_length=1)


@cache
def tutorial() -> tuple[TutorialLesson, ...]:
    """Return what each incident introduces, in order."""
    text = files("chaosops.play.coach").joinpath(_FILE).read_text("utf-8")
    return _Tutorial.model_validate(yaml.safe_load(text), strict=False).incidents


def lesson_of(scenario: Scenario) -> TutorialLesson | None:
    """Return what an incident introduces; None above the tutorial."""
    return next((lesson for lesson in tutorial() if lesson.id == scenario.id), None)


def is_coached(scenario: Scenario) -> bool:
    """Whether the incident belongs to the tutorial."""
    return scenario.difficulty is Difficulty.TUTORIAL


def is_guided(scenario: Scenario) -> bool:
    """Whether the coach names the keys of every move."""
    lesson = lesson_of(scenario)
    return lesson is not None and lesson.keys
