"""What teammates can be asked for at an object, each as a whole move. Needs no screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final, NamedTuple

from chaosops.env.models import ActionType, AgentRole, RoleView, VerbChoice
from chaosops.env.models.approvals import needs_approval
from chaosops.env.models.verbs import VERBS
from chaosops.play.action_form.choices import (
    CHANGE,
    USUAL,
    Choice,
    Entry,
    Field,
    argument_field,
    is_settled,
    keyed_by_place,
    target_choices,
)
from chaosops.play.action_form.picks import PICK_KEYS, PROPOSED, Offers, can_be_proposed
from chaosops.play.formatting import ROLE_NAMES
from chaosops.play.wording import proposal_words, verb_word

SUBJECT: Final = "subject"
"""The name of the question at what something is to be done; None asks for each part instead."""

MOVE: Final = "move"
"""The name of the question who does what there."""


class TeammateMove(NamedTuple):
    """A whole move that a teammate can be asked for.

    Attributes:
        args: The arguments, in the order of their questions; those that are left out are None.
    """

    role: AgentRole
    verb: ActionType
    target: str
    args: tuple[tuple[str, Any], ...]

    @property
    def proposal(self) -> dict[str, Any]:
        """The move as the argument of a proposal."""
        given = {name: value for name, value in self.args if value is not None}
        made: dict[str, Any] = {"action_type": self.verb.value, "target": self.target}
        return made | ({"args": given} if given else {})

    @property
    def words(self) -> str:
        """The move in words: "Dev: rollback payments"."""
        return f"{ROLE_NAMES[self.role]}: {proposal_words(self.proposal)}"

    @property
    def aliases(self) -> tuple[str, ...]:
        """What a player may type for it where its target is known: "scale 4", "dev rollback"."""
        values = (str(value) for _, value in self.args if value is not None)
        short = " ".join((verb_word(self.verb), *values))
        whole = (short,) if not _is_plain(self) else (short, verb_word(self.verb))
        return (*whole, *(f"{self.role.value} {words}" for words in whole))

    def answers(self, receiver: str) -> tuple[tuple[str, Any], ...]:
        """Return it as the answers to the questions about each part.

        Args:
            receiver: The question that asks for the role.
        """
        return (
            (receiver, self.role.value),
            (f"{PROPOSED}action_type", self.verb.value),
            (f"{PROPOSED}target", self.target),
            *((f"{PROPOSED}{name}", value) for name, value in self.args),
        )

    def is_asked_by(self, role: object, proposal: Mapping[str, Any]) -> bool:
        """Whether a proposal to a role asks for this move, whatever it leaves out as usual."""
        named = proposal.get("action_type"), proposal.get("target")
        if (role, *named) != (self.role.value, self.verb.value, self.target):
            return False
        args = proposal.get("args") or {}
        wanted = {name: args.get(name) for name, _ in self.args}
        usual = {
            name: USUAL.get(name) if value is None else value for name, value in wanted.items()
        }
        return wanted.keys() >= args.keys() and usual == dict(self.args)


def subject_field(view: RoleView, offers: Offers, roles: Sequence[AgentRole]) -> Field:
    """Return the question at what something is to be done, with the services in the pane's order.

    Args:
        offers: What each role can be asked for.
        roles: Who can be asked.
    """
    targets = dict.fromkeys(target for verb in _verbs(offers, roles) for target in verb[1].targets)
    seen = {found.target for found in view.findings}
    alerting = {alert.service for alert in view.alerts}
    entries: list[Entry] = []
    for choice in target_choices(view, tuple(targets)):
        notes = (
            choice.note,
            "alert" if choice.value in alerting else "",
            "looked at" if choice.value in seen else "",
        )
        entries.append((choice.value, choice.label, ", ".join(filter(None, notes))))
    entries.append((None, "something else", "asks for each part"))
    return Field(SUBJECT, "at what", keyed_by_place(view, entries))


def move_field(
    view: RoleView, offers: Offers, roles: Sequence[AgentRole], target: str, *, leads: bool
) -> Field:
    """Return the question who does what at an object: every move there, with a key each.

    A verb keeps its own key where it has one value only, or a usual one.

    Args:
        leads: Whether it is assigned, which approves a risky move in advance.
    """
    found = [
        move for role, verb in _verbs(offers, roles) for move in _moves(view, role, verb, target)
    ]
    knows = any(finding.target == target for finding in view.findings)
    approves = leads and view.requests is not None

    def is_risky(move: TeammateMove) -> bool:
        return approves and needs_approval(move.verb, dict(move.args), frozen=view.status.frozen)

    found.sort(key=lambda move: (not is_risky(move), (leads or knows) is _is_look(move)))
    keys = _keys(found)
    return Field(
        MOVE,
        "who does what",
        tuple(
            Choice(
                key,
                move,
                move.words,
                "approved in advance" if is_risky(move) else "",
                move.aliases,
            )
            for key, move in zip(keys, found, strict=True)
        ),
    )


def _verbs(offers: Offers, roles: Sequence[AgentRole]) -> Iterator[tuple[AgentRole, VerbChoice]]:
    for role in roles:
        for verb in offers.get(role, ()):
            if can_be_proposed(verb.action_type):
                yield role, verb


def _moves(
    view: RoleView, role: AgentRole, verb: VerbChoice, target: str
) -> Iterator[TeammateMove]:
    """Yield a move for each combination of the values of its arguments."""
    if target not in verb.targets:
        return
    asked = []
    for argument in verb.arguments:
        if argument.name == CHANGE and is_settled(argument, view, target):
            continue
        choices = argument_field(argument, view, target).choices
        if not choices and argument.required:
            return
        if choices:
            asked.append([(argument.name, choice.value) for choice in choices])
    for args in product(*asked):
        yield TeammateMove(role, verb.action_type, target, args)


def _is_look(move: TeammateMove) -> bool:
    return move.verb is ActionType.INVESTIGATE


def _is_plain(move: TeammateMove) -> bool:
    """Whether a move leaves nothing open that another of the same verb decides differently."""
    return all(value in (None, USUAL.get(name)) for name, value in move.args)


def _keys(moves: Sequence[TeammateMove]) -> list[str]:
    """Return a key for each move: the verb's own, or the first free one; empty if none is left."""
    own = {VERBS[move.verb].key for move in moves if not _is_look(move)}
    free = iter(key for key in PICK_KEYS if key not in own)
    taken: set[str] = set()
    found = []
    for move in moves:
        key = VERBS[move.verb].key
        if not _is_look(move) and _is_plain(move) and key not in taken:
            taken.add(key)
            found.append(key)
        else:
            found.append(next(free, ""))
    return found
