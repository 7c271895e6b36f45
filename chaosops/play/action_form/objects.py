"""What a role can do at one object: a service or an automation agent. Needs no screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    RoleView,
    Source,
    VerbChoice,
)
from chaosops.env.models.approvals import needs_approval
from chaosops.env.models.sources import SOURCES
from chaosops.env.models.verbs import VERBS
from chaosops.play.action_form.at_hand import at_hand
from chaosops.play.action_form.fields import Draft
from chaosops.play.action_form.picks import (
    NO_OFFERS,
    PROPOSED,
    Offers,
    Pick,
    Speech,
    asked_of,
    picks,
)
from chaosops.play.action_form.risks import risk_words
from chaosops.play.action_form.terminating import ends_words
from chaosops.play.action_form.typed import FILLERS
from chaosops.play.formatting import ROLE_NAMES, in_words, shown
from chaosops.play.wording import verb_word

_SOURCE: Final = "source"
_ASKED_SOURCE: Final = f"{PROPOSED}{_SOURCE}"


class ObjectMove(NamedTuple):
    """Something that the role can do at an object.

    Attributes:
        key: Its key in a list of these, the same for every role and object.
        label: The verb, or the source of a look.
        takes: How long it takes.
        does: What it does or shows, and what the role sees there that bears on it, in a line.
        costs: Who learns of it, and what a mistake costs, in a line.
        pick: The entry of the picker that it begins with.
        answers: The answers to the picker's questions that it has, by the name of the field.
        target: The object.
        asks: The teammate who is asked for it; None for what the role does itself.
        draft: How far it was typed, where it was; it has the answers then.
    """

    key: str
    label: str
    takes: str
    does: str
    costs: str
    pick: Pick
    answers: tuple[tuple[str, Any], ...]
    target: str = ""
    asks: AgentRole | None = None
    draft: Draft | None = None

    @property
    def is_look(self) -> bool:
        """Whether it is a look, which changes nothing and needs no confirmation."""
        return self.pick.verb.action_type is ActionType.INVESTIGATE

    @property
    def words(self) -> str:
        """The move as a player would type it: "drain identity"."""
        own = f"{self.label} {self.target}".rstrip()
        return own if self.asks is None else f"ask {self.asks.value} {own}"

    def is_meant(self, typed: str) -> bool:
        """Whether every word that was typed is part of the move, or of another name of it."""
        given = dict(self.answers).get(f"{PROPOSED}action_type")
        verb = self.pick.verb.action_type if given is None else ActionType(given)
        names = (self.words, self.pick.label, verb.value, *VERBS[verb].aliases)
        text = " ".join(names).casefold()
        return all(word in text for word in telling(typed))


def telling(typed: str) -> tuple[str, ...]:
    """Return the words that were typed without those that say nothing, such as "of"."""
    return tuple(word for word in typed.casefold().split() if word not in FILLERS)


def objects(view: RoleView) -> tuple[str, ...]:
    """Return the names of the objects at which the role can do anything."""
    targets = (
        target
        for verb in view.allowed
        if verb.action_type is ActionType.INVESTIGATE or VERBS[verb.action_type].does
        for target in verb.targets
    )
    return tuple(dict.fromkeys(targets))


def moves_at(view: RoleView, target: str, offers: Offers = NO_OFFERS) -> tuple[ObjectMove, ...]:
    """Return what the role can do at an object: looks first, then the rest in the picker's order.

    Empty for an object at which it can do nothing.

    Args:
        offers: What each role can be asked for; what only others can do there comes last.
    """
    own = tuple(_moves(view, target))
    return (*own, *_asks(view, target, offers)) if own else ()


def moves_meant(view: RoleView, typed: str, offers: Offers = NO_OFFERS) -> tuple[ObjectMove, ...]:
    """Return what the role can do, or ask for, at any object that was meant by the words typed."""
    places = objects(view)
    own = (move for target in places for move in _moves(view, target))
    asked = (move for target in places for move in _asks(view, target, offers))
    return tuple(move for move in (*own, *asked) if move.is_meant(typed))


def _asks(view: RoleView, target: str, offers: Offers) -> Iterator[ObjectMove]:
    """Yield what only teammates can do or see there, once each."""
    propose = next((pick for pick in picks(view) if pick.speech is Speech.PROPOSE), None)
    if propose is None:
        return
    known = {move.key for move in _moves(view, target)}
    for role in TURN_ORDER:
        for verb in offers.get(role, ()):
            spec = VERBS[verb.action_type]
            first = (*asked_of(role, verb.action_type), (f"{PROPOSED}target", target))
            costs = f"{ROLE_NAMES[role]} decides; everyone reads it"
            if role is view.role or target not in verb.targets or not spec.can_be_proposed:
                continue
            rows: list[tuple[str, str, str, tuple[tuple[str, Any], ...]]] = []
            if verb.action_type is ActionType.INVESTIGATE:
                for source in _sources(verb):
                    key, shows = SOURCES[source]
                    rows.append((key, source.value, shows, ((_ASKED_SOURCE, source.value),)))
            elif spec.does:
                now = at_hand(view, verb.action_type, target)
                does = f"{spec.does}; {now}" if now else spec.does
                rows.append((spec.key, verb_word(verb.action_type), does, ()))
            for key, label, does, more in rows:
                if key not in known:
                    known.add(key)
                    answers = (*first, *more)
                    yield ObjectMove(key, label, "", does, costs, propose, answers, target, role)


def _moves(view: RoleView, target: str) -> Iterator[ObjectMove]:
    lands = {(item.action_type, item.target): item.lands for item in view.in_flight}
    for pick in picks(view):
        verb = pick.verb.action_type
        spec = VERBS[verb]
        if target not in pick.verb.targets:
            continue
        costs = f"{spec.audience}{risk_words(verb)}"
        at = (("target", target),)
        if verb is ActionType.INVESTIGATE:
            for source in _sources(pick.verb):
                key, shows = SOURCES[source]
                answers = (*at, (_SOURCE, source.value))
                yield ObjectMove(key, source.value, "", shows, costs, pick, answers, target)
        elif spec.does:
            does = spec.does
            if verb is ActionType.TERMINATE:
                does = ends_words(view, target) or does
            now = at_hand(view, verb, target)
            does = f"{does}; {now}" if now else does
            if view.requests is not None and needs_approval(verb, {}, frozen=view.status.frozen):
                does = f"{does}; the Manager has to approve it"
            if (verb, target) in lands:
                left = lands[verb, target] - view.status.minute
                does = f"{does}; in flight, {left} min left"
            label, takes = in_words(pick.label), takes_words(pick)
            yield ObjectMove(spec.key, label, takes, does, costs, pick, at, target)


def takes_words(pick: Pick) -> str:
    """Say how many minutes an action takes until it lands."""
    low, high = pick.verb.minutes
    if not high:
        return "at once"
    return f"{low} min" if low == high else f"{low}-{high} min"


def _sources(verb: VerbChoice) -> Iterator[Source]:
    for argument in verb.arguments:
        if argument.name == _SOURCE:
            yield from (Source(str(choice)) for choice in argument.choices)


def about(view: RoleView, target: str) -> tuple[str, ...]:
    """Describe an object in a few words each: its state, its callers, and what it calls."""
    said = [shown(target, 60)]
    for node in view.graph:
        if node.name == target:
            said += [node.kind.value] if node.kind.value != target else []
            said += _state(view, target)
            callers = [other.name for other in view.graph if target in other.calls]
            said += [f"called by {', '.join(callers)}"] if callers else ["where users come in"]
            said += [f"calls {', '.join(node.calls)}"] if node.calls else []
    if target in (view.agents or ()):
        said.append("paused" if target in (view.paused or ()) else "acting")
        said += ["flagged"] if target in (view.flagged or ()) else []
    return tuple(said)


def _state(view: RoleView, target: str) -> Iterator[str]:
    for now in view.services or ():
        if now.service == target:
            yield now.health.value
            if now.replicas is not None:
                yield f"{now.replicas} instances serve"
            yield f"{100 * now.errors:.1f} % of its requests fail"
            return
    for name, health in view.health or ():
        if name == target:
            yield health.value
