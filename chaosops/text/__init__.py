"""An observation as words, and words as an action.

What a language model, a screen reader or a pipe reads, and what it answers.
"""

from chaosops.text.actions import ActionTextError, parse_action, render_action
from chaosops.text.observation import render_observation
from chaosops.text.rules import PROMPT_VERSION, render_rules

__all__ = [
    "PROMPT_VERSION",
    "ActionTextError",
    "parse_action",
    "render_action",
    "render_observation",
    "render_rules",
]
