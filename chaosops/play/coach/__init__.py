"""The tutorial's coach: says what to do next and why, from what the team has seen and done."""

from chaosops.play.coach.advice import GOALS, Advice, advise, reached
from chaosops.play.coach.tutorial import is_coached, is_guided, lesson_of

__all__ = ["GOALS", "Advice", "advise", "is_coached", "is_guided", "lesson_of", "reached"]
