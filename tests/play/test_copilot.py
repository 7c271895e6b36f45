"""What a copilot offers, what of it is taken, and what is recorded of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.play.policy_answers import PolicyAnswer, ask_copilot
from chaosops.play.replay_model import notes_of
from chaosops.play.session import Session
from chaosops.recording.events import HumanPart
from chaosops.recording.reader import read_recording
from chaosops.recording.suggestions import OtherCandidate, Suggestion
from chaosops.recording.turn_sources import Decider
from tests.tui.games import UI, roster, scenario

SRE = AgentRole.SRE
RESTART = ChaosOpsAction(SRE, ActionType.RESTART, "db")
SCALE = ChaosOpsAction(SRE, ActionType.SCALE, "db", {"replicas": 6})
DRAIN = ChaosOpsAction(SRE, ActionType.DRAIN, "db")
PASS = ChaosOpsAction(SRE, ActionType.NOOP)


class Offering:
    """A policy that would restart, and offers whatever it was made with."""

    def __init__(self, offers: Callable[[], object]) -> None:
        self._offers = offers

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        return RESTART

    def candidates(self, observation: ChaosOpsObservation, role: AgentRole) -> object:
        return self._offers()


def three() -> object:
    return [(RESTART, "it hangs"), (SCALE, "it is slow"), DRAIN]


def game(offers: Callable[[], object] = three, folder: Path | None = None) -> Session:
    seats = roster(SRE).with_copilot(SRE, Offering(offers), "helper")
    play = Session(scenario(), seats, recordings=folder, ui=UI)
    policy = play.copilot.policy
    assert policy is not None
    play.copilot.suggest(0, ask_copilot(policy, play.observation, SRE))
    return play


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("done", "source", "taken"),
    [
        (RESTART, Decider.COPILOT, 1),
        (SCALE, Decider.COPILOT, 2),
        (DRAIN, Decider.COPILOT, 3),
        (PASS, Decider.HUMAN, None),
        (replace(SCALE, args={"replicas": 4}), Decider.HUMAN, None),
    ],
)
def test_all_that_was_offered_is_recorded_with_what_was_taken(
    tmp_path: Path, done: ChaosOpsAction, source: Decider, taken: int | None
) -> None:
    play = game(folder=tmp_path)
    assert [(each.action, each.why) for each in play.copilot.offers] == [
        (RESTART, "it hangs"),
        (SCALE, "it is slow"),
        (DRAIN, ""),
    ]
    play.submit(0, done)
    play.close()
    assert play.recording is not None
    part = read_recording(play.recording).turns[0].human
    said = part.suggestion
    assert said is not None
    assert (part.source, said.accepted, said.taken) == (source, taken is not None, taken)
    assert [
        (each.action_type, each.target, each.args, each.reason) for each in said.candidates
    ] == [
        ("restart", "db", {}, "it hangs"),
        ("scale", "db", {"replicas": 6}, "it is slow"),
        ("drain", "db", {}, ""),
    ]


def test_one_candidate_is_recorded_as_it_always_was() -> None:
    play = game(lambda: [(RESTART, "it hangs")])
    play.submit(0, RESTART)
    assert play.humans[0].written["suggestion"] == {
        "policy": "helper",
        "action_type": "restart",
        "target": "db",
        "reason": "it hangs",
        "accepted": True,
    }


def test_the_same_action_is_offered_once() -> None:
    said = replace(SCALE, args={"replicas": 6, "say": {"text": "now"}})
    play = game(lambda: [SCALE, (said, "again"), DRAIN])
    assert [each.action for each in play.copilot.offers] == [SCALE, DRAIN]


def test_a_policy_without_candidates_offers_its_action() -> None:
    answer = ask_copilot(lambda _observation, _role: RESTART, game().observation, SRE)
    assert (answer.action, answer.others) == (RESTART, ())


def raising() -> object:
    raise RuntimeError("no idea")


@pytest.mark.parametrize(
    ("offers", "said"),
    [
        (raising, "The copilot raised RuntimeError: no idea; decide without it."),
        (list, "The copilot gave no action; decide without it."),
        (lambda: RESTART, "offered a ChaosOpsAction instead of a list of candidates"),
        (lambda: [RESTART, 5], "offered a int as candidate 2, and not an action, or a pair"),
    ],
)
def test_a_copilot_that_offers_nothing_of_use_is_told_and_the_turn_goes_on(
    offers: Callable[[], object], said: str
) -> None:
    play = game(offers)
    assert play.copilot.offers == ()
    assert said in play.trouble
    play.submit(0, PASS)
    assert play.humans[0].suggestion is None


def test_offers_for_another_turn_are_dropped() -> None:
    play = game()
    play.copilot.drop()
    assert play.copilot.suggest(3, PolicyAnswer(RESTART)) == ()
    assert play.copilot.offers == ()


def test_a_replay_tells_each_candidate_and_which_was_taken() -> None:
    play = game()
    play.submit(0, SCALE)
    assert notes_of(play.humans[0]).proposed == (
        "helper proposed restart db: not done; or scale db to 6: done; or drain db: not done"
    )


BARE = {"policy": "helper", "action_type": "restart", "target": "db"}
OTHERS = (OtherCandidate(action_type="drain", target="db"),)


def test_an_older_recording_knows_whether_its_one_suggestion_was_followed() -> None:
    assert Suggestion(**BARE, accepted=True).followed == 0  # type: ignore[arg-type]
    assert Suggestion(**BARE, accepted=False).followed is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"accepted": False, "others": OTHERS, "taken": 1}, "the suggestion was not accepted"),
        ({"accepted": True, "others": OTHERS, "taken": 3}, "candidate 3 was taken of 2"),
        ({"accepted": True, "others": OTHERS * 3}, "at most 2 items"),
        ({"accepted": True, "taken": 0}, "greater than or equal to 1"),
    ],
)
def test_a_recording_that_contradicts_itself_is_refused(
    fields: dict[str, object], problem: str
) -> None:
    with pytest.raises(ValidationError, match=problem):
        HumanPart.model_validate({"source": "copilot", "suggestion": {**BARE, **fields}})
