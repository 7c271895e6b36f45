"""A situation before it is written: its parts, and their text as a file that is good to edit."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from chaosops.env.models import Difficulty
from chaosops.env.models.topology import Topology
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.fitting import Placement, placements
from chaosops.scenarios.schema import TicketSpec
from chaosops.scenarios.situation import Decoy, SituationAgent, SituationHints

_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_/%()'. -]*[A-Za-z0-9)%.]|[a-z]")
_NO_TEXT: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


class Fleet(NamedTuple):
    """A topology to generate a situation on.

    Attributes:
        text: The text of its file, if it was generated too; None if it is built in.
        product: What its users call it, such as "the shop".
        things: What they wait for there, such as "pages".
    """

    topology: Topology
    text: str | None
    product: str
    things: str

    @property
    def id(self) -> str:
        """The id of the topology."""
        return self.topology.id


class DraftCast(NamedTuple):
    """A possible cause, and every place where it may be."""

    cause: Cause
    spots: tuple[Placement, ...]


class Length(NamedTuple):
    """How long a situation lasts: rounds, par in turns, and minutes of the hold."""

    max_steps: int
    par: int
    hold: int


class SituationWording(NamedTuple):
    """The prose of a situation."""

    page: str
    title: str
    tickets: tuple[TicketSpec, ...]
    hints: SituationHints
    misleading: str


class SituationDraft(NamedTuple):
    """A situation that may be written."""

    id: str
    level: Difficulty
    fleet: Fleet
    casts: tuple[DraftCast, ...]
    agents: tuple[SituationAgent, ...]
    decoys: tuple[Decoy, ...]
    length: Length
    wording: SituationWording

    def with_spots(self, kept: Mapping[str, Sequence[Placement]]) -> SituationDraft:
        """Return a draft whose causes are at these spots only, by the id of the cause.

        A cause that is left without one is gone. Where no lists of places and callers have
        exactly these spots, some of them are left out as well.
        """
        casts = []
        for cast in self.casts:
            spots = expressible(cast.cause, kept.get(cast.cause.id, ()), self.fleet.topology)
            if spots:
                casts.append(DraftCast(cast.cause, spots))
        return self._replace(casts=tuple(casts))


def expressible(
    cause: Cause, wanted: Iterable[Placement], topology: Topology
) -> tuple[Placement, ...]:
    """Return those of some spots that a cast can have: all with its places and its callers."""
    fitting = tuple(placements(cause, topology))
    kept = set(wanted) & set(fitting)
    while kept:
        places = {spot.place for spot in kept}
        callers = {spot.caller for spot in kept}
        extra = [
            spot
            for spot in fitting
            if spot not in kept and spot.place in places and spot.caller in callers
        ]
        if not extra:
            break
        # Give up the place or the caller with which fewer spots are lost.
        by_place = {spot for spot in kept if spot.place == extra[0].place}
        by_caller = {spot for spot in kept if spot.caller == extra[0].caller}
        kept -= by_place if len(by_place) <= len(by_caller) else by_caller
    return tuple(spot for spot in fitting if spot in kept)


def situation_text(draft: SituationDraft, proof: Iterable[str] = ()) -> str:
    """Return the text of a draft's file.

    Args:
        proof: Lines of the comment at its beginning.
    """
    words = draft.wording
    parts: list[Iterable[str]] = [
        ["# yaml-language-server: $schema=situation.schema.json", *(_comment(proof))],
        [
            f"id: {draft.id}",
            f"stream_key: {draft.id}",
            f"title: {scalar(words.title)}",
            f"level: {draft.level.value}",
            f"topology: {draft.fleet.topology.id}",
            f"page: {words.page}",
            f"max_steps: {draft.length.max_steps}",
            f"par: {draft.length.par}",
            f"hold: {draft.length.hold}",
        ],
        ["casts:", *(f"  - {_cast(cast)}" for cast in draft.casts)],
        ["automation:", *(line for agent in draft.agents for line in _agent(agent))],
        *([["decoys:", *(f"  - {_decoy(decoy)}" for decoy in draft.decoys)]] * bool(draft.decoys)),
        [
            "tickets:",
            *(f"  - {{at: {one.at}, text: {quoted(one.text)}}}" for one in words.tickets),
        ],
        [
            "hints:",
            f"  nudge: {scalar(words.hints.nudge)}",
            f"  direction: {scalar(words.hints.direction)}",
        ],
        [f"misleading: {scalar(words.misleading)}"],
    ]
    first, second, *rest = ("\n".join(part) for part in parts)
    return "\n\n".join((f"{first}\n{second}", *rest)) + "\n"


def _comment(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield f"# {line}".rstrip()


def _cast(cast: DraftCast) -> str:
    places = list(dict.fromkeys(spot.place for spot in cast.spots))
    callers = list(dict.fromkeys(spot.caller for spot in cast.spots if spot.caller is not None))
    parts: dict[str, object] = {"cause": cast.cause.id, "places": places}
    return flow({**parts, "callers": callers} if callers else parts)


def _agent(agent: SituationAgent) -> Iterator[str]:
    yield f"  - name: {agent.name}"
    yield f"    duty: {scalar(agent.duty)}"
    yield f"    policy: {scalar(agent.policy)}"
    if agent.standing is not None:
        yield f"    standing: {flow(agent.standing.model_dump(mode='json', exclude_unset=True))}"
    for key, items in (("releases", agent.releases), ("events", agent.events)):
        if items:
            yield f"    {key}:"
        for item in items:
            yield f"      - {flow(item.model_dump(mode='json', exclude_unset=True))}"


def _decoy(decoy: Decoy) -> str:
    return flow(decoy.model_dump(mode="json", exclude_unset=True))


def flow(value: object) -> str:
    """Write plain data on one line."""
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(flow, value))}]"
    if isinstance(value, str):
        return scalar(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def scalar(text: str) -> str:
    """Write a text without quotes where YAML reads it as text, anywhere on a line."""
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _NO_TEXT
    return text if is_plain else quoted(text)


def quoted(text: str) -> str:
    """Write a text in quotes."""
    return json.dumps(text, ensure_ascii=False)
