"""Incidents that are well formed and make no sense: each gets its line, its field and a cure."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
from chaosops.scenarios.checks.reach import FIRST_MINUTE
from chaosops.scenarios.checks.references import check_incident

from chaosops.env.actions import ActionBook
from chaosops.env.models import TURN_ORDER, ActionType, ChaosOpsAction, ServiceKind
from chaosops.env.models.verbs import FIXES, minutes_in_flight, services_for
from chaosops.env.world_sim import HISTORY
from chaosops.scenarios.checks.moves import check_moves, quickest
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.loader import find_scenarios, open_scenario
from chaosops.scenarios.schema import Move
from tests.scenarios.files import FIXTURE, INCIDENT, assert_named, edited, line_of, write

_ROLLBACK = '{role: dev, action: rollback, target: "{victim}"}'
_DIAGNOSE = "{role: sre, action: diagnose, args: {cause: memory_leak}}"
_CLEARS = '- {action: rollback, target: "{victim}"}'
_TEMPTING = "  - action: restart\n    target: db"
_EVENTS = "    events:\n      - at: -50"
_HELD = (
    "      - {at: -40, act: held, target: auth, reason: busy in its band, "
    "approval: standing policy}\n"
)
_ROGUE = "    rogue: {keeps_up: [leak], act: a, target: db, reason: r, approval: p}"
_RUNTIME = '{source: runtime, at: "{victim}", text: t'
_SECOND_FAULT = (
    "  - {id: flood, starts: 0, effects: [{service: db, parameter: errors, value: 1}],"
    " clears: [{action: restart}]}"
)

SENSELESS = {
    # what it is: (old, new, words on the line it is reported on, field, part of the message)
    "a step that its role cannot take": (
        _ROLLBACK,
        "{role: manager, action: restart, target: db}",
        "role: manager",
        "solution.1.role",
        "the manager can't use 'restart'; give the step to sre or dev",
    ),
    "a step that never shows as done": (
        _ROLLBACK,
        "{role: sre, action: investigate, target: db, args: {source: runtime}}",
        "action: investigate",
        "solution.1.action",
        "nothing shows when 'investigate' is done",
    ),
    "a step without the argument that it needs": (
        _ROLLBACK,
        "{role: sre, action: scale, target: db}",
        "action: scale",
        "solution.1.args",
        "'scale' needs the argument \"replicas\"; add it to 'args'",
    ),
    "a cause that is none": (
        "cause: memory_leak",
        "cause: memry_leak",
        "memry",
        "solution.0.args.cause",
        '"memry_leak" is not a value of cause; did you mean "memory_leak"?',
    ),
    "a wrong diagnosis in the best line": (
        "cause: memory_leak",
        "cause: disk_full",
        "cause: disk_full",
        "solution.0.args.cause",
        '"disk_full" is a wrong diagnosis here; use memory_leak',
    ),
    "a best line without a diagnosis": (
        "  - {role: sre, action: diagnose, args: {cause: memory_leak}}\n",
        "",
        "solution:",
        "solution",
        "no step names the cause",
    ),
    "a best line that leaves the fault": (
        _ROLLBACK,
        "{role: manager, action: escalate, target: db}",
        "solution:",
        "solution",
        'no step clears the fault "leak"; add one of the moves that do',
    ),
    "a best line with a wrong fix": (
        _ROLLBACK,
        f"{_ROLLBACK}\n  - {{role: sre, action: purge, target: cache}}",
        "target: cache}",
        "solution.2",
        "this step is a wrong fix",
    ),
    "more steps than turns": (
        _ROLLBACK,
        _ROLLBACK + 8 * f"\n  - {_DIAGNOSE}".replace("sre", "dev") + " # the last",
        "# the last",
        "solution.9",
        "the dev has 8 turns and 9 steps",
    ),
    "a verb that no fault answers to": (
        _CLEARS,
        "- {action: pause, target: autoscaler}",
        "action: pause",
        "faults.0.clears.0.action",
        "'pause' can never do this: only actions that land affect a fault",
    ),
    "a wrong fix that changes nothing": (
        _TEMPTING,
        "  - action: escalate\n    target: db",
        "action: escalate",
        "tempting.0.action",
        "a wrong fix has to change the system",
    ),
    "a verb on a kind of service that it does not work on": (
        _TEMPTING,
        "  - action: disable_feature\n    target: db",
        "target: db",
        "tempting.0.target",
        "'disable_feature' does not work on db; use one of: checkout, cart",
    ),
    "a wrong fix of nothing": (
        "    target: db\n",
        "",
        "- action: restart",
        "tempting.0",
        "'restart' needs a target; use one of: edge, checkout",
    ),
    "an argument that the verb has not": (
        'target: "{victim}", remains: 0.5',
        'target: "{victim}", args: {replicas: 3}, remains: 0.5',
        "replicas: 3",
        "faults.0.mitigates.0.args.replicas",
        "'restart' has no argument \"replicas\"; remove it",
    ),
    "an argument with another name": (
        '- {action: restart, target: "{victim}", remains',
        '- {action: scale, target: "{victim}", args: {replica: 3}, remains',
        "replica: 3",
        "faults.0.mitigates.0.args.replica",
        'did you mean "replicas"?',
    ),
    "a number that no one can choose": (
        _CLEARS,
        '- {action: scale, target: "{victim}", args: {replicas: {at_least: 900}}}',
        "at_least: 900",
        "faults.0.clears.0.args.replicas",
        "replicas can't take such a value: 1, 2, 3, 4, 5, 6, 8, 10, 12",
    ),
    "a number that is no choice": (
        _CLEARS,
        '- {action: scale, target: "{victim}", args: {replicas: 7}}',
        "replicas: 7",
        "faults.0.clears.0.args.replicas",
        '"7" is not a value of replicas',
    ),
    "a range of numbers where one is asked for": (
        _TEMPTING,
        "  - action: scale\n    target: db\n    args: {replicas: {at_least: 7}}",
        "at_least: 7",
        "tempting.0.args.replicas",
        "7 would be used, but replicas can't take that value",
    ),
    "bounds the wrong way round": (
        _CLEARS,
        '- {action: scale, target: "{victim}", args: {replicas: {at_least: 8, at_most: 3}}}',
        "at_most: 3",
        "faults.0.clears.0.args.replicas",
        "no number is at least 8 and at most 3; swap them",
    ),
    "bounds of nothing": (
        _CLEARS,
        '- {action: scale, target: "{victim}", args: {replicas: {}}}',
        "replicas: {}",
        "faults.0.clears.0.args.replicas",
        "this sets no bound; add 'at_least' or 'at_most'",
    ),
    "a wrong fix that helps": (
        _TEMPTING,
        '  - action: rollback\n    target: "{victim}"',
        "- action: rollback\n",
        "tempting.0",
        "this isn't a wrong fix: it helps against the fault on line 21; remove one",
    ),
    "a wrong fix twice": (
        "logs:\n",
        "  - {action: restart, target: db, why: again}\nlogs:\n",
        "why: again",
        "tempting.1",
        "the entry on line 34 always matches first",
    ),
    "a fault after the end": (
        '    starts: "{minute}"',
        "    starts: 32",
        "starts: 32",
        "faults.0.starts",
        "the fault never starts: the incident ends at turn 32; use an earlier minute",
    ),
    "a fault too late to be fixed": (
        '    starts: "{minute}"',
        "    starts: 26",
        "starts: 26",
        "faults.0.starts",
        (
            "this cannot be fixed in time: 'rollback' lands after 3 min, the objective has to "
            "hold for 4, and the incident ends at turn 32; use minute 25 or earlier"
        ),
    ),
    "a second fault too late to be fixed": (
        "tempting:\n",
        f"{_SECOND_FAULT}\ntempting:\n".replace("starts: 0", "starts: 28"),
        "starts: 28",
        "faults.1.starts",
        "use minute 27 or earlier",
    ),
    "a fault before the simulation": (
        "[-30, -20]",
        "[-31, -20]",
        "starts:",
        "faults.0.starts",
        "the simulation starts at minute -30; use that or later",
    ),
    "an effect after the end": (
        "        profile: growth",
        "        after: 62",
        "after: 62",
        "faults.0.effects.0.after",
        "this never takes effect: the incident ends at turn 32",
    ),
    "an effect of nothing": (
        "parameter: errors, value: 0.4",
        "parameter: errors, value: 0",
        "value: 0,",
        "tempting.0.effects.0.value",
        "this changes nothing: errors more by 0",
    ),
    "a factor of one": (
        "parameter: errors, value: 0.4",
        "parameter: capacity, value: 1",
        "value: 1,",
        "tempting.0.effects.0.value",
        "this changes nothing: capacity multiplied by 1",
    ),
    "percent for a share": (
        "parameter: errors, value: 0.4",
        "parameter: errors, value: 40",
        "value: 40",
        "tempting.0.effects.0.value",
        "errors is a share from 0 to 1; write 0.12 for 12 percent",
    ),
    "less than nothing": (
        "parameter: errors, value: 0.4",
        "parameter: latency_ms, value: -40",
        "value: -40",
        "tempting.0.effects.0.value",
        "latency_ms can't be negative",
    ),
    "a ramp of one minute": (
        "profile: growth",
        "profile: ramp",
        "profile: ramp",
        "faults.0.effects.0.profile",
        "set 'over' to its minutes",
    ),
    "a step that takes its time": (
        "parameter: errors, value: 0.4",
        "parameter: errors, over: 5, value: 0.4",
        "over: 5",
        "tempting.0.effects.0.over",
        "only a ramp uses this; add 'profile: ramp'",
    ),
    "held connections where there is no pool": (
        "parameter: errors, value: 0.4",
        "parameter: hold_ms, value: 40",
        "hold_ms",
        "tempting.0.effects.0.parameter",
        '"db" has no pool; choose one with a pool',
    ),
    "a hot shard where there are none": (
        "parameter: errors, value: 0.4",
        "parameter: skew, value: 0.4",
        "skew",
        "tempting.0.effects.0.parameter",
        '"db" has no shards',
    ),
    "a log after the end": (
        "level: INFO, text:",
        "level: INFO, first: 32, text:",
        "first: 32",
        "logs.1.first",
        "this is never shown: the incident ends at turn 32",
    ),
    "a change after the end": (
        "  - at: -35",
        "  - at: 40",
        "at: 40",
        "changes.0.at",
        "this is never shown: the incident ends at turn 32",
    ),
    "an act after the end": (
        "      - at: -50",
        "      - at: 32",
        "at: 32",
        "automation.0.events.0.at",
        "the agent never does this: the incident ends at turn 32",
    ),
    "an act on nothing": (
        '        target: "{bystander}"',
        "        target: serch",
        "target: serch",
        "automation.0.events.0.target",
        'no service or agent "serch"; did you mean "search"?',
    ),
    "an alert after the end": (
        "{rule: disk-high, service: queue}",
        "{rule: disk-high, service: queue, since: 32}",
        "since: 32",
        "stuck_alerts.0.since",
        "the alert never fires: the incident ends at turn 32",
    ),
    "an alert of a rule that does not watch the service": (
        "{rule: disk-high, service: queue}",
        "{rule: disk-high, service: auth}",
        "rule: disk-high",
        "stuck_alerts.0.service",
        '"disk-high" does not watch auth; use one of: queue, db',
    ),
    "a ticket after the end": (
        "{at: 2,",
        "{at: 32,",
        "at: 32",
        "tickets.0.at",
        "this ticket never arrives: the incident ends at turn 32",
    ),
    "a ticket before the page": (
        "{at: 2,",
        "{at: -2,",
        "at: -2,",
        "tickets.0.at",
        "tickets arrive from minute 0 on",
    ),
    "evidence that an earlier entry hides": (
        "stuck_alerts:",
        f"  - {_RUNTIME}, since: 4}}\nstuck_alerts:",
        "since: 4",
        "evidence.2.at",
        "this is never shown, because of line 66: the first entry that applies",
    ),
    "evidence that two earlier entries hide together": (
        "evidence:\n",
        f"evidence:\n  - {_RUNTIME}, until: 9}}\n  - {_RUNTIME}, since: 10}}\n",
        '    at: "{victim}"',
        "evidence.2.at",
        "this is never shown, because of lines 66 and 67: the first entry",
    ),
    "evidence for a role that cannot look there": (
        "    signs: [heap_growth]",
        "    seen_by: dev",
        "seen_by: dev",
        "evidence.0.seen_by",
        "the dev can't investigate runtime; use sre",
    ),
    "evidence between two turns of the only role": (
        "    signs: [heap_growth]",
        "    since: 5\n    until: 7",
        '    at: "{victim}"',
        "evidence.0.at",
        "sre has no turn between minute 5 and 7; extend its time",
    ),
    "evidence that rules out what is right": (
        "    signs: [within_policy]",
        (
            "    signs: [within_policy]\n"
            f"  - {_RUNTIME.replace('runtime', 'metrics')}, rules_out: [disk_full, memory_leak]}}"
        ),
        "rules_out",
        "evidence.2.rules_out.1",
        '"memory_leak" is the right answer, so nothing can rule it out',
    ),
    "evidence for and against one cause": (
        "    supports: [memory_leak]",
        "    supports: [memory_leak, disk_full]\n    rules_out: [disk_full]",
        "rules_out",
        "evidence.0.rules_out.0",
        "\"disk_full\" is in 'supports' too",
    ),
    "a cause that nothing supports": (
        "    supports: [memory_leak]\n",
        "",
        "evidence:",
        "evidence",
        "nothing supports memory_leak, so it can't be found",
    ),
    "an innocent agent that is convicted": (
        "signs: [within_policy]",
        "signs: [beyond_policy]",
        "beyond_policy",
        "evidence.1.signs.0",
        '"autoscaler" is innocent; use within_policy',
    ),
    "a title that says the answer": (
        "title: Customers cannot sign in",
        "title: A memory leak in the morning",
        "title:",
        "title",
        '"memory leak" gives the answer away, memory_leak; describe the symptom',
    ),
    "an automation's reason that says the answer in other words": (
        "reason: busy above 70 % for ten minutes",
        "reason: the heap grows",
        "heap",
        "automation.0.events.0.reason",
        '"heap" gives the answer away, memory_leak',
    ),
    "an audit log too short to hide anything": (
        _HELD,
        "",
        "automation:",
        "automation",
        "and this makes 2; add 'events'",
    ),
    "a rogue that is the only agent": (
        _EVENTS,
        f"{_ROGUE}\n{_EVENTS}",
        "- name: autoscaler",
        "automation.0",
        "the only agent is obviously guilty",
    ),
    "a rogue that nobody pauses": (
        _EVENTS,
        f"{_ROGUE}\n{_EVENTS}",
        "solution:",
        "solution",
        (
            'no step pauses the rogue "autoscaler", which carries on; '
            "add {role: oversight, action: pause, target: autoscaler}"
        ),
    ),
    "a cascade that has come already": (
        "tempting:\n",
        (f"{_SECOND_FAULT}\ncascades:\n  - {{starts: flood, while_live: leak}}\ntempting:\n"),
        "starts: flood",
        "cascades.0.starts",
        '"flood" has started before the page, on line 33',
    ),
    "a cascade of itself": (
        "tempting:\n",
        "cascades:\n  - {starts: leak, while_live: leak}\ntempting:\n",
        "starts: leak",
        "cascades.0.while_live",
        "a fault can't trigger itself",
    ),
}


@pytest.mark.parametrize("kind", SENSELESS)
def test_what_makes_no_sense_is_named_with_line_field_and_cure(tmp_path: Path, kind: str) -> None:
    assert_named(tmp_path, *SENSELESS[kind])


def _starting(minute: int, clears: str = _CLEARS, hold: int = 4) -> str:
    """The good incident with its fault at that minute."""
    text = edited(INCIDENT, "  minute: {number: [-30, -20]}\n", "")
    text = edited(text, 'starts: "{minute}"', f"starts: {minute}")
    text = edited(text, _CLEARS, clears)
    return edited(text, "max_steps: 8\n", f"max_steps: 8\nhold: {hold}\n")


@pytest.mark.parametrize(
    ("clears", "hold", "latest"),
    [
        (_CLEARS, 4, 25),
        (_CLEARS, 7, 22),
        ("- {action: rollback, target: db}", 4, 23),
        (f"{_CLEARS}\n      - {{action: rollback, target: db}}", 4, 25),
        ("- {action: scale, target: queue}", 4, 25),
        ("- {action: scale}", 4, 26),
        ("- {action: escalate, target: bank}", 4, 24),
        (f"- {{action: pause, target: autoscaler}}\n      {_CLEARS}", 4, 25),
        (f"- {{action: disable_feature, target: db}}\n      {_CLEARS}", 4, 25),
    ],
)
def test_a_fault_leaves_time_for_its_quickest_move_where_that_works_and_for_the_hold(
    tmp_path: Path, clears: str, hold: int, latest: int
) -> None:
    def told(minute: int) -> list[str]:
        found = check_file(write(tmp_path, _starting(minute, clears, hold)))
        return [problem.message for problem in found if problem.field == "faults.0.starts"]

    assert told(latest) == []
    (message,) = told(latest + 1)
    assert message.endswith(f"use minute {latest} or earlier")


@pytest.mark.parametrize(
    "clears", ["- {action: pause, target: autoscaler}", "- {action: rollback, target: nowhere}"]
)
def test_of_a_fault_that_nothing_clears_only_that_is_told(tmp_path: Path, clears: str) -> None:
    fields = {problem.field for problem in check_file(write(tmp_path, _starting(31, clears)))}
    assert "faults.0.starts" not in fields
    assert fields & {"faults.0.clears.0.action", "faults.0.clears.0.target"}


def test_a_fault_that_only_a_wrong_fix_starts_may_come_at_any_time(tmp_path: Path) -> None:
    second = _SECOND_FAULT.replace("starts: 0, ", "")
    cascade = "cascades:\n  - {starts: flood, while_live: leak}\n"
    text = edited(INCIDENT, "tempting:\n", f"{second}\n{cascade}tempting:\n")

    assert check_file(write(tmp_path, text)) == []


def test_a_fault_that_no_move_mends_in_time_whenever_it_starts_is_named_at_its_moves() -> None:
    source = open_scenario(FIXTURE)
    slow = source.topology.model_copy(
        update={"minutes_in_flight": {ServiceKind.APP: {ActionType.ROLLBACK: 29}}}
    )
    data = source.render(0).model_dump()

    (wrong,) = check_moves({**data, "faults": list(data["faults"])}, slow)

    assert wrong.path == ("faults", 0, "clears")
    assert wrong.message.endswith("raise 'max_steps', lower 'hold', or add a quicker move")


def test_a_move_is_as_quick_for_the_check_as_it_is_in_the_game() -> None:
    for topology in {source.topology.id: source.topology for source in find_scenarios()}.values():
        plain = topology.model_copy(update={"minutes_in_flight": {}})
        for fleet, service, verb in product((topology, plain), topology.services, ActionType):
            found = quickest(Move(action=verb, target=service.name), fleet)
            lands = verb in FIXES | {ActionType.ESCALATE}
            if lands and service.name in services_for(verb, fleet):
                assert found == minutes_in_flight(fleet, verb, service.kind)
            else:
                assert found is None


def test_evidence_that_is_over_before_its_fault_begins_is_named(tmp_path: Path) -> None:
    late = edited(INCIDENT, 'starts: "{minute}"', "starts: 10")
    late = edited(late, "    signs: [heap_growth]", "    until: 9\n    while_live: leak")
    late = edited(late, "  minute: {number: [-30, -20]}\n", "")

    (problem,) = check_file(write(tmp_path, late))

    assert problem.field == "evidence.0.at"
    assert "its fault only starts at minute 10, after this ends" in problem.message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("while_live: leak", "since: 3"),
        ("until: 8", "since: 3"),
        ("since: 9", "since: 3"),
        ("seen_by: sre", "seen_by: dev"),
    ],
)
def test_evidence_that_is_shown_at_some_time_to_somebody_is_fine(
    tmp_path: Path, first: str, second: str
) -> None:
    entry = '  - {{source: logs, at: "{{victim}}", text: t, {}}}\n'
    both = entry.format(first) + entry.format(second)
    path = write(tmp_path, edited(INCIDENT, "stuck_alerts:", f"{both}stuck_alerts:"))

    assert check_file(path) == []


def test_what_a_look_hides_in_one_variant_alone_is_named_with_its_variable(tmp_path: Path) -> None:
    hidden = '  - {source: runtime, at: "{place}", text: t}\n'
    text = edited(INCIDENT, "  host:", "  place: {choices: [cart, auth]}\n  host:")
    text = edited(text, "stuck_alerts:", f"{hidden}stuck_alerts:")

    (problem,) = check_file(write(tmp_path, text))

    assert problem.line == line_of(text, 'at: "{place}"')
    assert problem.message.endswith("(from {place})")


def test_all_that_makes_no_sense_comes_with_all_that_is_broken(tmp_path: Path) -> None:
    text = edited(INCIDENT, "title:", "titel:")
    text = edited(text, "cause: memory_leak", "cause: memry_leak")
    text = edited(text, "{at: 2,", "{at: 32,")

    fields = {problem.field for problem in check_file(write(tmp_path, text))}

    assert fields == {"title", "titel", "solution.0.args.cause", "tickets.0.at"}


def test_the_simulation_begins_when_the_world_does() -> None:
    assert FIRST_MINUTE == -HISTORY


_NEVER_A_STEP = {
    ActionType.NOOP,
    ActionType.COMMUNICATE,
    ActionType.ASSIGN,
    ActionType.INVESTIGATE,
    ActionType.RESOLVE,
    ActionType.RESUME,
}


def test_a_step_is_refused_just_where_the_game_refuses_it() -> None:
    source = open_scenario(FIXTURE)
    agents = [agent.name for agent in source.render(0).automation]
    book = ActionBook(source.topology, tuple(agents))
    arguments: list[dict[str, Any]] = [{}, {"replicas": 3}, {"replicas": 7}, {"unit": "zone"}]
    arguments += [{"cause": "memory_leak"}, {"limit": "cpu"}, {"percent": 50}]
    verbs = [verb for verb in ActionType if verb not in _NEVER_A_STEP]
    verdicts = set()
    for role, verb in product(TURN_ORDER, verbs):
        allowed = book.allowed(role, (), ())
        for target, args in product((*source.topology.names(), *agents, None), arguments):
            refusal = book.problem(ChaosOpsAction(role, verb, target, args), allowed, 0)
            step = {"role": role, "action": verb, "target": target, "args": args}
            data = {"automation": [{"name": name} for name in agents], "solution": [step]}
            wrong = [*check_moves(data, source.topology), *check_incident(data, source.topology)]
            is_refused = any(item.path[0] == "solution" for item in wrong)
            assert is_refused is bool(refusal), (step, refusal, wrong)
            verdicts.add(is_refused)
    assert verdicts == {True, False}
