"""What the table of verbs says of each verb."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from chaosops.env.models.observation import ArgumentChoice
from chaosops.env.models.services import ServiceKind


class TargetKind(Enum):
    """The kind of a verb's target."""

    NOTHING = "nothing"
    ANY = "whatever the role can look at"
    SERVICE = "services of some kinds"
    ENTRY = "services where users come in"
    AGENT = "automation agents"
    ROLE = "roles"


class VerbSpec(NamedTuple):
    """Everything that is specific to a verb.

    Attributes:
        group: Its group in a menu.
        target: The kind of its target.
        kinds: The kinds of services that it works on.
        minutes: How long it is in flight; 0 if it takes effect at once.
        arguments: Its arguments, if they are the same for every role.
        label: Its name for players; by default its own words.
        before: The argument that comes before the target: "raise limit memory of db".
        after: The argument that comes after the target: "scale db to 4".
        aliases: Other names that a player may type.
        key: Its key in the picker and at an object, the same for every role and in every state;
            empty for messages, which have one by kind.
        does: What it does, in a line; empty for a verb without a target.
        note: What it is for, and when it helps, for the glossary.
        audience: Who learns of it.
        risk: What a mistake costs; `{component}` stands for the points of that component.
        lasting: Its lasting effect, with `{target}` and `{argument}` filled in; empty for a verb
            whose effect doesn't last.
        can_be_proposed: Whether a role may ask another for it.
    """

    group: str
    target: TargetKind
    kinds: frozenset[ServiceKind] = frozenset()
    minutes: int = 0
    arguments: tuple[ArgumentChoice, ...] = ()
    label: str = ""
    before: str = ""
    after: str = ""
    aliases: tuple[str, ...] = ()
    key: str = ""
    does: str = ""
    note: str = ""
    audience: str = "everyone sees it"
    risk: str = ""
    lasting: str = ""
    can_be_proposed: bool = True
