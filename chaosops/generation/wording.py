"""Words a situation by its symptoms, so that no text names a cause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from chaosops.env.models import TURN_ORDER, AgentRole, Source
from chaosops.env.models.roles import roles_looking_at
from chaosops.env.models.topology import Line, Name, Strict
from chaosops.generation.data_files import read_data
from chaosops.generation.dice import SeededDice
from chaosops.generation.draft import Fleet, Length, SituationWording
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.schema import Prose, TicketSpec
from chaosops.scenarios.situation import SituationAgent, SituationHints

_TURNS_A_ROUND: Final = len(TURN_ORDER)
_LOOKS: Final = (AgentRole.SRE, AgentRole.DEV)


class Symptom(StrEnum):
    """What users notice."""

    ERRORS = "errors"
    SLOW = "slow"
    MIXED = "mixed"
    LATE = "late"


class TicketTemplate(Strict):
    """Tickets of which one is written, between two minutes."""

    at: tuple[int, int]
    texts: tuple[Line, ...]


class DecoyTemplate(Strict):
    """What may be wrong with a service that callers do without; `value` is a range."""

    parameter: Name
    value: tuple[float, float]
    text: Line


class Product(Strict):
    """What users call a service, and what they wait for there."""

    product: Line
    things: Line


class Phrasebook(Strict):
    """All phrases to choose from; the keys of `tickets` are symptoms, and "any"."""

    products: Mapping[Name, Product]
    pages: Mapping[Symptom, tuple[Name, ...]]
    titles: Mapping[Symptom, tuple[Line, ...]]
    nudges: Mapping[Symptom, tuple[Prose, ...]]
    tickets: Mapping[Name, tuple[TicketTemplate, ...]]
    decoys: tuple[DecoyTemplate, ...]


def phrasebook() -> Phrasebook:
    """Read the phrases."""
    return Phrasebook.model_validate(read_data("prose.yaml"))


def word(
    symptom: Symptom,
    fleet: Fleet,
    causes: Sequence[Cause],
    agents: Sequence[SituationAgent],
    length: Length,
    dice: SeededDice,
) -> SituationWording:
    """Return the prose of a situation.

    Args:
        causes: Those that may be behind it.
        length: By which tickets end.
    """
    book = phrasebook()
    words = {
        "product": fleet.product,
        "things": fleet.things,
        "Product": capital(fleet.product),
        "Things": capital(fleet.things),
    }
    page = next((name for name in book.pages[symptom] if name in fleet.topology.pages), None)
    return SituationWording(
        page or next(iter(fleet.topology.pages)),
        filled(dice.of("title").pick(book.titles[symptom]), words),
        tuple(_tickets(book, symptom, length, words, dice.of("tickets"))),
        SituationHints(
            nudge=dice.of("nudge").pick(book.nudges[symptom]), direction=_direction(causes, agents)
        ),
        _misleading(causes, agents),
    )


def _tickets(
    book: Phrasebook, symptom: Symptom, length: Length, words: Mapping[str, str], dice: SeededDice
) -> Iterable[TicketSpec]:
    last = length.max_steps * _TURNS_A_ROUND
    for template in (*book.tickets[symptom.value], *book.tickets["any"]):
        minute = dice.between(*template.at)
        text = filled(dice.pick(template.texts), words)
        if minute < last:
            yield TicketSpec(at=minute, text=text)


def _direction(causes: Sequence[Cause], agents: Sequence[SituationAgent]) -> str:
    """Say which role can take the readings that tell the causes apart."""
    told = {cause.telling[0].source for cause in causes}
    parts = []
    for role in _LOOKS:
        sources = [one for one in Source if one in told and role in roles_looking_at(one)]
        if sources:
            name = role.value.upper() if role is AgentRole.SRE else role.value.capitalize()
            parts.append(f"{name} can compare {_joined(one.value for one in sources)}")
    acting = [agent.name for agent in agents if agent.standing is not None]
    looks = "; ".join(parts) or "Compare what each instrument shows"
    policy = "its written policy" if len(acting) == 1 else "their written policies"
    acts = f" Oversight can hold what {_joined(acting)} did against {policy}." if acting else ""
    return f"{looks}, where requests first fail or wait and one call further down.{acts}"


def _misleading(causes: Sequence[Cause], agents: Sequence[SituationAgent]) -> str:
    acts = f"{len(agents)} agents worked near the onset as on any other day"
    if any(cause.shows.changes for cause in causes):
        return (
            "Several things were changed within minutes of the onset, most of them harmless, "
            f"and {acts}."
        )
    return f"{capital(acts)}, and services that passed on errors looked as bad as their source."


def _joined(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def filled(text: str, words: Mapping[str, str]) -> str:
    """Return a phrase with its placeholders filled in."""
    return text.format_map(words)


def capital(text: str) -> str:
    """Return a text with its first letter in upper case."""
    return text[:1].upper() + text[1:]
