"""An observation as words, and words as an action.

What a language model, a screen reader or a pipe reads, and what it answers. A program is told all
at once by `render_observation`; people are told the same `PARTS` one by one, in a `Dialect` of
theirs.
"""

from chaosops.text.actions import ActionTextError, parse_action, render_action
from chaosops.text.blocks import Block
from chaosops.text.compact import COMPACT_TOKENS, render_compact
from chaosops.text.dialect import Dialect
from chaosops.text.observation import render_observation
from chaosops.text.parts import (
    PARTS,
    diagnosis_words,
    finding_words,
    landed_words,
    landing_words,
    message_words,
    users_words,
)
from chaosops.text.rules import PROMPT_VERSION, render_compact_rules, render_rules
from chaosops.text.tokens import TOKEN_RULE, estimated_tokens

__all__ = [
    "COMPACT_TOKENS",
    "PARTS",
    "PROMPT_VERSION",
    "TOKEN_RULE",
    "ActionTextError",
    "Block",
    "Dialect",
    "diagnosis_words",
    "estimated_tokens",
    "finding_words",
    "landed_words",
    "landing_words",
    "message_words",
    "parse_action",
    "render_action",
    "render_compact",
    "render_compact_rules",
    "render_observation",
    "render_rules",
    "users_words",
]
