"""Files of the first edition are told, key by key, what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.errors import ScenarioError
from chaosops.scenarios.checks.former_keys import check_former_keys
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.situation import Situation, SituationAgent, SituationHints
from tests.scenarios.files import INCIDENT, assert_named, edited, write

CAUSE = "the seed draws the cause now; list possible causes under 'casts'"
FORMER_KEYS = {
    "failure_type: memory_leak": CAUSE,
    "also_right: [cpu_throttling]": "the drawn cause alone is right now; remove it",
    "canonical: true": "every failure type is found by the causes under 'casts' now; remove it",
    "diagnosis_budget: 16": "a diagnosis has to stand before the cure is ordered now; remove it",
    "variables: {change: {id: CHG-####}}": "the seed draws it now; remove it",
    "variants: [{victim: auth}]": "the seed draws it now; remove it",
    "faults: []": "what breaks is in cause files now; name causes under 'casts', or write your own",
    "cascades: []": "what follows a cause is under 'follows' of a cast now; move it there",
    "tempting: []": "wrong fixes are in cause files now, under 'tempts'; remove it",
    "logs: []": "log lines are in cause files now, under 'shows'; remove it",
    "changes: []": "the seed draws the changes now, from cause files; remove it",
    "evidence: []": "readings are made from the state of the fleet now; remove it",
    "stuck_alerts: []": "an alarm that is wrong is a cause now; cast one of the family 'alarms'",
    "solution: []": "the best line follows from what clears the cause now; remove it",
    "debrief: {misleading: The database}": "keep its 'misleading', and remove it",
}
"""Every key that only incident files of the first edition had, with what is said of it."""

FIRST_EDITION = """id: slow-sign-in
title: Customers cannot sign in
level: easy
topology: storefront
failure_type: memory_leak
page: sign_in_success
max_steps: 8
par: 12
diagnosis_budget: 16
variables:
  minute: {number: [-30, -20]}
faults:
  - id: leak
    starts: "{minute}"
    effects:
      - {service: auth, parameter: memory_per_minute, value: 4, profile: growth}
    clears:
      - {action: rollback, target: auth}
automation:
  - name: autoscaler
    duty: Keeps the number of replicas in step with demand
    policy: May add two replicas an hour
    events: []
    rogue: {keeps_up: [leak], act: scaled out, target: db, reason: busy, approval: standing}
hints:
  nudge: Compare the services that fail with those that do not.
  direction: Look at what grows.
  answer: Roll back auth.
solution:
  - {role: dev, action: rollback, target: auth}
debrief:
  title: A session store that forgot to forget
  misleading: The database was slow because its callers were.
"""


@pytest.mark.few(3)
@pytest.mark.parametrize("line", FORMER_KEYS)
def test_a_former_key_is_named_with_its_line_and_what_to_write_instead(
    line: str, tmp_path: Path
) -> None:
    key, _colon, _value = line.partition(":")
    new = f"hold: 4\n{line}"
    assert_named(tmp_path, "hold: 4", new, f"{key}:", key, FORMER_KEYS[line])


@pytest.mark.parametrize(
    ("old", "new", "field", "message"),
    [
        (
            "    duty: Promotes builds\n",
            "    duty: Promotes builds\n    rogue: {act: promote}\n",
            "automation.1.rogue",
            "the seed draws which agent is guilty now; remove it",
        ),
        (
            "  nudge:",
            "  answer: Roll back auth.\n  nudge:",
            "hints.answer",
            "the hint that names the answer is generated now; remove it",
        ),
    ],
)
def test_a_former_key_deep_down_is_named_as_well(
    old: str, new: str, field: str, message: str, tmp_path: Path
) -> None:
    assert_named(tmp_path, old, new, field.rpartition(".")[2] + ":", field, message)


def test_a_whole_file_of_the_first_edition_is_told_each_former_key_once(tmp_path: Path) -> None:
    path = write(tmp_path, FIRST_EDITION)

    problems = check_file(path)

    fields = [problem.field for problem in problems]
    assert len(set(fields)) == len(fields)
    assert set(fields) == {
        *("failure_type", "diagnosis_budget", "variables", "faults", "solution", "debrief"),
        *("automation.0.rogue", "hints.answer", "stream_key", "casts", "misleading"),
    }
    assert not [problem for problem in problems if "unknown key" in problem.message]
    with pytest.raises(ScenarioError, match=r"\(and 10 more: run chaosops scenarios validate "):
        open_scenario(path)


def test_no_key_of_a_situation_is_taken_for_a_former_one(tmp_path: Path) -> None:
    every = dict.fromkeys(Situation.model_fields)
    every["automation"] = [dict.fromkeys(SituationAgent.model_fields)]
    every["hints"] = dict.fromkeys(SituationHints.model_fields)
    assert list(check_former_keys(every)) == []


@pytest.mark.parametrize("value", ["automation: 3", "automation: [3]", "hints: [answer]"])
def test_former_keys_are_looked_for_in_whatever_shape_a_file_has(
    value: str, tmp_path: Path
) -> None:
    key, _colon, _value = value.partition(":")
    start = INCIDENT.index(f"{key}:\n")
    end = INCIDENT.index("\n\n", start)
    text = edited(INCIDENT, INCIDENT[start:end], f"{value}\nfaults: []")
    fields = [problem.field for problem in check_file(write(tmp_path, text))]
    assert "faults" in fields
