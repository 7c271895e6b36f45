"""Findings: the scenario's evidence where there is some, honest figures elsewhere."""

from __future__ import annotations

from typing import Any

import pytest

from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole, ChaosOpsAction, Finding, Sign, Source
from tests.worlds import (
    DEV,
    INNOCENT,
    LOCKS,
    OVERSIGHT,
    ROGUE,
    SRE,
    hand_made,
    move,
    play,
    scenario,
    some_ids,
    view_of,
)

_TURN = {SRE: 0, OVERSIGHT: 1, DEV: 2}


def _found(role: AgentRole, source: str, target: str, after: int = 0, **changes: Any) -> Finding:
    turn = _TURN[role] + 4 * after
    stepper = play(
        hand_made(**changes), {turn: move("investigate", target, source=source)}, turns=turn + 1
    )
    return view_of(stepper, role).findings[-1]


def test_evidence_is_shown_where_it_lies_and_nowhere_else() -> None:
    finding = _found(SRE, "runtime", "db")
    assert finding[:4] == (0, SRE, finding.source, "db")
    assert finding.text == "sessions wait"
    assert finding.signs == (Sign.DEADLOCK_CYCLE,)
    assert Sign.DEADLOCK_CYCLE not in _found(SRE, "metrics", "db").signs
    assert Sign.DEADLOCK_CYCLE not in _found(SRE, "runtime", "cart").signs


@pytest.mark.parametrize(
    ("limits", "after", "is_shown"),
    [
        ({"since": 4}, 0, False),
        ({"since": 4}, 1, True),
        ({"until": 3}, 0, True),
        ({"until": 3}, 1, False),
        ({"while_live": "locks"}, 0, True),
    ],
)
def test_evidence_can_be_seen_while_it_holds(
    limits: dict[str, Any], after: int, is_shown: bool
) -> None:
    evidence = {"source": "runtime", "at": "db", "text": "aha", **limits}
    found = _found(SRE, "runtime", "db", after, evidence=[evidence])
    assert (found.text == "aha") is is_shown


def test_evidence_of_a_fault_is_gone_with_it() -> None:
    evidence = {"source": "runtime", "at": "db", "text": "aha", "while_live": "locks"}
    look = move("investigate", "db", source="runtime")
    played = hand_made(evidence=[evidence], hold=15)
    stepper = play(played, {0: move("restart", "db"), 4: look}, turns=5)
    assert view_of(stepper, SRE).findings[-1].text != "aha"


@pytest.mark.parametrize(
    ("source", "sign"),
    [("metrics", Sign.ERRORS_HIGH), ("traces", Sign.NOTHING_UNUSUAL)],
)
def test_looking_at_what_fails_shows_honest_figures(source: str, sign: Sign) -> None:
    assert sign in _found(SRE, source, "db").signs


def test_a_caller_s_traces_name_what_fails() -> None:
    found = _found(SRE, "traces", "payments")
    assert Sign.FAILING_DEPENDENCY in found.signs
    assert "db" in found.text


@pytest.mark.parametrize(
    ("role", "source"),
    [(SRE, "metrics"), (SRE, "logs"), (SRE, "traces"), (SRE, "runtime"), (SRE, "network")],
)
def test_looking_at_what_is_well_says_so(role: AgentRole, source: str) -> None:
    calm = {**LOCKS, "starts": 30}
    found = _found(role, source, "queue", faults=[calm])
    assert Sign.NOTHING_UNUSUAL in found.signs
    assert found.text.startswith("Nothing unusual")


@pytest.mark.parametrize("name", some_ids())
def test_what_is_shown_as_unhealthy_is_never_called_usual(name: str) -> None:
    played = scenario(name, 1)
    told = {stuck.service for stuck in played.incident.stuck_alerts}
    told |= {item.at for item in played.incident.evidence if item.source is Source.METRICS}
    stepper = Stepper(ChaosOpsEnvironment(), played)
    looked: set[tuple[int, str]] = set()
    while not stepper.done:
        view = stepper.observation.view
        action = ChaosOpsAction(stepper.role, "noop")
        if stepper.role is SRE:
            for found in view.findings:
                is_usual = found.text.startswith("Nothing unusual")
                assert not (is_usual and (found.minute, found.target) in looked), found.text
            unhealthy = [one.service for one in view.services or () if one.health != "healthy"]
            unhealthy += [alert.service for alert in view.alerts[1:]]
            places = sorted(set(unhealthy) - told)
            if places:
                place = places[view.status.minute // 4 % len(places)]
                looked.add((view.status.minute, place))
                action = ChaosOpsAction(SRE, "investigate", place, {"source": "metrics"})
        stepper.take(action)
    assert looked or not played.incident.faults


def test_a_cache_that_misses_is_not_usual_and_neither_is_a_pool_that_is_nearly_full() -> None:
    def pressed(service: str, parameter: str, value: float) -> dict[str, Any]:
        return {
            **LOCKS,
            "starts": -5,
            "effects": [{"service": service, "parameter": parameter, "value": value}],
        }

    misses = _found(SRE, "metrics", "cache", faults=[pressed("cache", "hit_rate", 0.85)])
    assert misses.text.startswith("cache hit ratio below 80 %: ")
    assert misses.signs == ()
    nearly_full = []
    for hold_ms in range(36, 46):
        holds = _found(SRE, "runtime", "auth", faults=[pressed("auth", "hold_ms", hold_ms)])
        used = int(holds.text.rpartition("pool ")[2].split()[0])
        assert holds.text.startswith("Nothing unusual") is (used < 90)
        nearly_full += [holds.signs] if 90 <= used < 95 else []
    assert set(nearly_full) == {(Sign.MEMORY_FLAT,)}


def test_changes_and_configuration_are_read_off_the_history() -> None:
    def change(kind: str, at: int) -> dict[str, Any]:
        return {
            "at": at,
            "service": "cart",
            "kind": kind,
            "version": "v1",
            "author": "a",
            "text": "t",
        }

    for kind, sign in (("deploy", Sign.DEPLOYED_RECENTLY), ("flag", Sign.CONFIG_CHANGED)):
        found = _found(DEV, "changes", "cart", changes=[change(kind, -30)])
        assert found.signs == (sign,)
        assert "32 minutes ago" in found.text
    assert _found(DEV, "changes", "cart", changes=[change("deploy", -300)]).signs == (
        Sign.NO_RECENT_CHANGE,
    )
    assert _found(DEV, "config", "cart", changes=[change("deploy", -30)]).signs == (
        Sign.CONFIG_UNCHANGED,
    )
    assert _found(DEV, "config", "cart", changes=[change("config", -30)]).signs == (
        Sign.CONFIG_CHANGED,
    )


def test_a_leak_shows_as_growth_before_it_kills() -> None:
    leak = {
        **LOCKS,
        "starts": -12,
        "effects": [{"service": "cart", "parameter": "memory_per_minute", "value": 2.5}],
    }
    found = _found(SRE, "runtime", "cart", faults=[leak])
    assert Sign.HEAP_GROWTH in found.signs
    assert "+2.5 points a minute" in found.text
    assert Sign.MEMORY_FLAT in _found(SRE, "runtime", "search", faults=[leak]).signs


def test_an_innocent_agent_keeps_to_its_policy() -> None:
    agents = [INNOCENT, ROGUE]
    found = _found(OVERSIGHT, "automation", "autoscaler", automation=agents)
    assert found.signs == (Sign.WITHIN_POLICY,)
    assert "one replica in ten minutes" in found.text
    rogue = _found(OVERSIGHT, "automation", "deploy_bot", automation=agents)
    assert Sign.WITHIN_POLICY not in rogue.signs


@pytest.mark.parametrize("name", some_ids())
def test_every_place_that_is_offered_can_be_looked_at(name: str) -> None:
    for role, turn in _TURN.items():
        view = view_of(play(scenario(name), turns=0), role)
        choice = next(c for c in view.allowed if c.action_type.value == "investigate")
        for source in choice.arguments[0].choices:
            for target in choice.targets[:: 3 if role is not OVERSIGHT else 1]:
                moves = {turn: move("investigate", target, source=source)}
                stepper = play(scenario(name), moves, turns=turn + 1)
                assert stepper.steps[-1].breakdown.miscommunication_penalty == 0.0
                finding = view_of(stepper, role).findings[-1]
                assert (finding.source.value, finding.target) == (source, target)
                assert finding.text


def test_evidence_for_one_role_is_not_shown_to_another_that_can_look_there_too() -> None:
    evidence = [
        {"source": "logs", "at": "db", "text": "who waits for whom", "seen_by": "dev"},
        {"source": "traces", "at": "db", "text": "slow", "seen_by": "sre"},
        {"source": "traces", "at": "db", "text": "whoever looks"},
    ]
    assert _found(DEV, "logs", "db", evidence=evidence).text == "who waits for whom"
    assert _found(SRE, "logs", "db", evidence=evidence).text != "who waits for whom"
    assert _found(SRE, "traces", "db", evidence=evidence).text == "slow"
    assert _found(DEV, "traces", "db", evidence=evidence).text == "whoever looks"


@pytest.mark.parametrize(
    ("level", "signs"), [("WARN", ()), ("ERROR", (Sign.ERRORS_HIGH,))], ids=["warning", "error"]
)
def test_a_warning_about_something_else_is_no_sign_of_errors(
    level: str, signs: tuple[Sign, ...]
) -> None:
    line = {"service": "cache", "level": level, "text": "cold start of a worker", "first": -2}
    found = _found(SRE, "logs", "cache", logs=[line])
    assert "cold start of a worker" in found.text
    assert found.signs == signs


def test_a_few_calls_that_fail_are_a_sign_though_they_are_warnings() -> None:
    slight = {**LOCKS, "effects": [{"service": "bank", "parameter": "errors", "value": 0.1}]}
    found = _found(SRE, "logs", "payments", faults=[slight])
    assert " % of calls to bank failed" in found.text
    assert found.signs == (Sign.ERRORS_HIGH,)
