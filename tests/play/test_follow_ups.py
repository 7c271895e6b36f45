"""What the debrief tells of causes that followed the first one."""

from __future__ import annotations

from chaosops.agents.policies import expert_policy
from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, Diagnosis, RoleView, Stake
from chaosops.env.world_sim import Scenario
from chaosops.play.debrief import ledger, timeline
from chaosops.play.follow_ups import follow_ups, told
from chaosops.play.formatting import clock
from tests.env.chains import MANAGER, SRE, Play, revival


def played(made: Scenario) -> tuple[EpisodeResult, list[RoleView]]:
    result = run_episode(ChaosOpsEnvironment(), made, dict.fromkeys(TURN_ORDER, expert_policy(1)))
    return result, [step.observation.view for step in result.steps]


def test_the_debrief_tells_both_causes_and_why_the_one_set_off_the_other() -> None:
    made = revival(lesson="Make room first.", same_kind="A public one")
    _result, views = played(made)
    (followed,) = follow_ups(made, views)
    assert followed.minute is not None
    last = views[-1]
    paragraphs = list(told([followed], last.diagnoses, last.status))
    when = clock(last.status, followed.minute)
    heading, text = paragraphs[0]
    assert heading == "What followed"
    assert text.startswith(f"reconnect herd at catalog, from {when} on. What was down comes back")
    assert "every client of catalog lost its connection" in text
    assert paragraphs[1:] == [
        ("The lesson of both", "Make room first."),
        ("Similar outages", "A public one"),
    ]


def test_what_was_prevented_could_have_followed() -> None:
    made = revival()
    game = Play(made)
    views = [game.seen.view]
    game.act(SRE, ActionType.RAISE_LIMIT, "catalog", limit="connections")
    game.pass_(2)
    game.act(MANAGER, ActionType.ESCALATE, "catalog")
    while not game.seen.done:
        game.pass_(1)
        views.append(game.seen.view)
    assert game.env.state.resolved
    (followed,) = follow_ups(made, views)
    assert followed.minute is None
    heading, text = next(told([followed], (), views[-1].status))
    assert heading == "What could have followed"
    assert text.startswith("reconnect herd at catalog. What was down comes back")


def test_a_diagnosis_of_the_second_cause_is_told_which_one_counts() -> None:
    made = revival()
    _result, views = played(made)
    followed = follow_ups(made, views)
    status = views[-1].status
    named = Diagnosis(30, SRE, "reconnect_herd", False, "catalog", Stake.CERTAIN)
    assert ("Which cause counts", "A diagnosis is judged by the first cause.") in list(
        told(followed, (named,), status)
    )


def test_the_timeline_and_the_ledger_have_the_second_cause_from_its_onset_on() -> None:
    made = revival()
    result, views = played(made)
    (followed,) = follow_ups(made, views)
    last = result.steps[-1].observation
    entries = timeline(made, result.steps, last, frozenset())
    faults = [(entry.minute, entry.text) for entry in entries if entry.kind == "fault"]
    assert faults[1:] == [(followed.minute, "another fault starts at catalog")]
    facts = ledger(made, result.steps, last)
    herd = [fact for fact in facts if "reconnect herd" in fact.supports]
    assert herd
    assert {fact.knowable for fact in herd} == {followed.minute}


def test_an_incident_of_one_cause_has_nothing_more_to_tell() -> None:
    made = Scenario.load("checkout-times-out", seed=1)
    _result, views = played(made)
    assert follow_ups(made, views) == ()
    assert list(told((), views[-1].diagnoses, views[-1].status)) == []
