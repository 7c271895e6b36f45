"""The rules of the game as text: what a player knows before the first observation."""

from __future__ import annotations

from typing import Final

from chaosops.env.models import TURN_ORDER, ActionType, AgentRole
from chaosops.env.models.roles import ROLES
from chaosops.env.models.verbs import VERBS
from chaosops.text.signals import units_in_words

PROMPT_VERSION: Final = 5
"""Increased by every change of the wording in this package, so that data sets can name it."""


def render_rules(role: AgentRole) -> str:
    """Render what a role should know about the game, the same in every incident."""
    asks = "\n".join(
        f"- {other.value}: {_askable(other)}" for other in TURN_ORDER if other is not role
    )
    return f"""You are on call as {role.value} in a production outage, with {_others(role)}.
{ROLES[role].duty}
A turn is a minute, and each role has one in four. Fixes take minutes to land. Looking somewhere \
costs the turn; what it shows comes with your next observation. The incident is over when every \
cause is gone, the automation that caused it is paused, and users have been well for a while.
You lose points for each minute, for requests that fail, for a fix that neither clears nor eases \
anything, for a wrong diagnosis and for an action you may not take. You gain for resolving it, \
early, for the right diagnosis, early, and for the rogue agent that is caught.
Answer with one JSON object and nothing else: {{"action_type":VERB,"target":NAME or null,\
"args":{{...}}}}. The observation lists the verbs, targets and arguments you may use now. Besides, \
restart and rollback of a service of several instances take "instance": the name of one, or its \
number from 1, for that one alone.
A message may carry a proposal, written as an action is, to ask one role for something:
{asks}
Minutes are counted from the page: [0] is the page, [-5] five minutes before."""


def render_compact_rules(role: AgentRole) -> str:
    """Render the same in fewer words, for `render_compact`."""
    asks = "; ".join(
        f"{other.value}: {_askable(other)}" for other in TURN_ORDER if other is not role
    )
    return f"""You are on call as {role.value} in a production outage, with {_others(role)}.
A turn is a minute, one in four is yours; minutes count from the page, [0]. A look costs the turn \
and shows in your next observation. It is over when every cause is gone, the automation behind it \
paused, and users well for a while. Minutes, failed requests, useless fixes, wrong diagnoses and \
refused actions cost; an early end, the right diagnosis and flagging the rogue agent pay.
What is not told is well or as before. {units_in_words()}.
Answer with one JSON object and nothing else: {{"action_type":VERB,"target":NAME or null,\
"args":{{...}}}}. "instance":N limits restart or rollback to one. A proposal is written so too, a \
finding is its number. Ask {asks}."""


def _askable(role: AgentRole) -> str:
    verbs = (verb for verb in ROLES[role].verbs if VERBS[verb].can_be_proposed)
    return ", ".join(verb.value for verb in verbs if verb is not ActionType.NOOP)


def _others(role: AgentRole) -> str:
    names = [other.value for other in TURN_ORDER if other is not role]
    return f"{', '.join(names[:-1])} and {names[-1]}"
