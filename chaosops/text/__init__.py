"""Observations as text, and actions parsed from text.

For language models, screen readers and pipes. A program gets everything
at once from `render_observation`; people get the same parts one by one, in their own
`Dialect`.
"""

from chaosops.text.actions import ActionTextError, parse_action, render_action
from chaosops.text.blocks import Block
from chaosops.text.compact import COMPACT_TOKENS, render_compact
from chaosops.text.dialect import Dialect
from chaosops.text.observation import render_observation
from chaosops.text.parts import part_blocks
from chaosops.text.rules import PROMPT_VERSION, render_compact_rules, render_rules
from chaosops.text.tokens import TOKEN_RULE, estimated_tokens

__all__ = [
    "COMPACT_TOKENS",
    "PROMPT_VERSION",
    "TOKEN_RULE",
    "ActionTextError",
    "Block",
    "Dialect",
    "estimated_tokens",
    "parse_action",
    "part_blocks",
    "render_action",
    "render_compact",
    "render_compact_rules",
    "render_observation",
    "render_rules",
]
