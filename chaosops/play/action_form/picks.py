"""The entries of the picker: verbs and kinds of messages, each with its key. Needs no screen."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, RoleView, VerbChoice
from chaosops.env.models.verbs import VERBS
from chaosops.play.action_form.suggestions import Offer
from chaosops.play.formatting import ROLE_NAMES
from chaosops.play.wording import verb_word

Offers = Mapping[AgentRole, tuple[VerbChoice, ...]]
"""What each role can be asked for in a proposal."""

NO_OFFERS: Final[Offers] = MappingProxyType({})

OFFERED: Final = "for you"

GROUPS: Final = (OFFERED, "look", "talk", "fix", "decide")

PICK_KEYS: Final = "123456789adejklmnoqrsvwzABCDEFGHJKLMNOPQRSTVWXZ!#$%&*("
"""The keys of picks and choices: none that is a command of the incident screen."""

OFFER_KEYS: Final = "yuiYUI"
"""The keys that accept offers: the copilot's candidates, then the teammates' requests."""

PROPOSED: Final = "proposal."
"""The prefix of the names of a proposal's fields."""


class Speech(Enum):
    """The purpose of a message; None on a pick that is not a message."""

    MESSAGE = "message"
    PROPOSE = "propose"
    SHARE = "share"


_SPEECH_KEYS: Final[Mapping[Speech, str]] = MappingProxyType(
    {Speech.MESSAGE: "3", Speech.PROPOSE: "4", Speech.SHARE: "5"}
)


class Pick(NamedTuple):
    """An entry of the picker.

    Attributes:
        blocked: Why it can't be picked now; empty if it can.
        offer: A complete action that someone wants; None for a verb to be filled in.
        answers: Answers that it begins with, by the name of the field.
    """

    key: str
    label: str
    group: str
    verb: VerbChoice
    speech: Speech | None = None
    blocked: str = ""
    offer: Offer | None = None
    answers: tuple[tuple[str, Any], ...] = ()


def can_be_proposed(verb: ActionType) -> bool:
    """Whether a role may ask another for a verb."""
    return verb is not ActionType.NOOP and VERBS[verb].can_be_proposed


_ASKED_BY_KEY: Final = frozenset(
    verb for verb in ActionType if can_be_proposed(verb) and verb is not ActionType.DIAGNOSE
)


def picks(view: RoleView) -> tuple[Pick, ...]:
    """Return everything that the role may do now, grouped, with keys.

    A verb has the same key for every role and in every state.
    """
    found: list[Pick] = []
    for verb in view.allowed:
        if verb.action_type is ActionType.COMMUNICATE:
            found += _speeches(view, verb)
        else:
            found.append(Pick("", verb_word(verb.action_type), verb.group, verb))
    order = {name: i for i, name in enumerate(GROUPS)}
    found.sort(key=lambda pick: (_is_pass(pick), order.get(pick.group, len(order))))
    return tuple(pick._replace(key=_key_of(pick)) for pick in found)


def _key_of(pick: Pick) -> str:
    if pick.speech is not None:
        return _SPEECH_KEYS[pick.speech]
    return VERBS[pick.verb.action_type].key


def asks(view: RoleView, offers: Offers) -> tuple[Pick, ...]:
    """Return a request to a teammate for each verb that only others have, with the verb's key."""
    propose = next((pick for pick in picks(view) if pick.speech is Speech.PROPOSE), None)
    if propose is None:
        return ()
    known = {verb.action_type for verb in view.allowed}
    found = []
    for role in TURN_ORDER:
        for verb in offers.get(role, ()):
            if verb.action_type not in known and verb.action_type in _ASKED_BY_KEY:
                known.add(verb.action_type)
                label = f"ask {ROLE_NAMES[role]} › {verb_word(verb.action_type)}"
                key = VERBS[verb.action_type].key
                answers = asked_of(role, verb.action_type)
                found.append(propose._replace(key=key, label=label, answers=answers))
    return tuple(found)


def asked_of(role: AgentRole, verb: ActionType) -> tuple[tuple[str, Any], ...]:
    """Return the first answers of a proposal: to whom, and what they should do."""
    return (("to", role.value), (f"{PROPOSED}action_type", verb.value))


def _is_pass(pick: Pick) -> bool:
    return pick.verb.action_type is ActionType.NOOP


def _speeches(view: RoleView, verb: VerbChoice) -> list[Pick]:
    names = {argument.name for argument in verb.arguments}
    found = [Pick("", Speech.MESSAGE.value, verb.group, verb, Speech.MESSAGE)]
    if "proposal" in names:
        found.append(Pick("", Speech.PROPOSE.value, verb.group, verb, Speech.PROPOSE))
    if "finding" in names:
        blocked = "" if view.findings else "no findings yet"
        found.append(Pick("", Speech.SHARE.value, verb.group, verb, Speech.SHARE, blocked))
    return found
