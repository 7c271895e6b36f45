"""The words of generated situations: symptoms, and no cause."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chaosops.env.models import Difficulty, FailureType
from chaosops.generation.automation import agent_templates
from chaosops.generation.dice import SeededDice
from chaosops.generation.draft import Length
from chaosops.generation.fleets import builtin_topologies, fleet_of
from chaosops.generation.spec import SituationSpec
from chaosops.generation.wording import Symptom, phrasebook, word
from chaosops.scenarios.checks.giveaways import says


def phrases() -> Iterator[str]:
    book = phrasebook()
    for titles in book.titles.values():
        yield from titles
    for nudges in book.nudges.values():
        yield from nudges
    for tickets in book.tickets.values():
        for one in tickets:
            yield from one.texts
    for agent in agent_templates():
        yield from (agent.duty, agent.policy)
        if agent.acts is not None:
            yield from (agent.acts.act, agent.acts.reason, agent.acts.approval)


@pytest.mark.parametrize("cause", list(FailureType))
def test_no_phrase_names_a_cause(cause: FailureType) -> None:
    assert [text for text in phrases() if says(text, cause)] == []


def test_every_symptom_has_phrases_and_every_built_in_topology_a_product() -> None:
    book = phrasebook()
    for symptom in Symptom:
        assert len(book.titles[symptom]) >= 3
        assert len(book.nudges[symptom]) >= 2
        assert book.tickets[symptom.value]
    assert set(book.products) == set(builtin_topologies())


@pytest.mark.parametrize("topology", ["pipeline", "shop", "storefront", "zones"])
@pytest.mark.parametrize("symptom", list(Symptom))
def test_a_situation_has_a_page_of_its_topology_and_no_gaps_in_its_words(
    topology: str, symptom: Symptom
) -> None:
    fleet = fleet_of(SituationSpec(1, Difficulty.EASY, topology))
    length = Length(9, 22, 5)
    wording = word(symptom, fleet, [], [], length, SeededDice(1))
    assert wording.page in fleet.topology.pages
    texts = (wording.title, wording.hints.nudge, *(one.text for one in wording.tickets))
    assert not [text for text in texts if "{" in text]
    assert all(one.at < 36 for one in wording.tickets)
    assert len({one.at for one in wording.tickets}) == len(wording.tickets) >= 4
