"""Every kind of broken incident and topology: each gets its line, its field and a cure."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.errors import ScenarioError
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.loader import open_scenario
from tests.scenarios.files import INCIDENT, STOREFRONT, assert_named, edited, line_of, write

_SOLUTION = '{role: dev, action: rollback, target: "{victim}"}'
_EVENTS = "    events:\n      - at: -50"
_OTHER_AGENT = "  - name: other\n    duty: d\n    policy: p"
_SECOND_LEAK = (
    "  - {id: leak, starts: 0, effects: [{service: db, parameter: errors, value: 1}],"
    " clears: [{action: restart}]}"
)


def _rogue(fault: str) -> str:
    return f"    rogue: {{keeps_up: [{fault}], act: a, target: db, reason: r, approval: p}}"


BROKEN_INCIDENTS = {
    # what is broken: (old, new, words on the line it is reported on, field, part of the message)
    "an unknown key": ("title:", "titel:", "titel", "titel", 'did you mean "title"?'),
    "an unknown key deep down": (
        "parameter: errors",
        "parametre: errors",
        "parametre",
        "tempting.0.effects.0.parametre",
        'did you mean "parameter"?',
    ),
    "an unknown key with nothing like it": (
        "  duty:",
        "  zzz: 1\n    duty:",
        "zzz",
        "automation.0.zzz",
        "there are: name, duty, policy, events, rogue",
    ),
    "a comma in text without quotes": (
        "for my password again",
        "for my password, again",
        "password, again",
        "tickets.0.again and again",
        "text with a comma needs quotes",
    ),
    "a key that is missing": (
        "page: sign_in_success\n",
        "",
        "id: slow",
        "page",
        'required key "page" is missing',
    ),
    "a key that is missing deep down": (
        "    duty: Keeps the number of replicas in step with demand\n",
        "",
        "- name: autoscaler",
        "automation.0.duty",
        'required key "duty" is missing',
    ),
    "a number for text": ("nudge: Compare", "nudge: 12 #", "nudge", "hints.nudge", '"12"'),
    "an exponent for text": ("v212", "1e3", "1e3", "changes.0.version", "put it in quotes"),
    "a truth value for text": ("v212", "true", "true", "changes.0.version", "put it in quotes"),
    "nothing for text": ("v212", "", "version:", "changes.0.version", "the value is missing"),
    "a list for text": ("v212", "[a]", "[a]", "changes.0.version", "must be text, not a list"),
    "text for a number": (
        "max_steps: 8",
        "max_steps: eight",
        "eight",
        "max_steps",
        'a whole number, not the text "eight"',
    ),
    "a number in quotes": (
        "max_steps: 8",
        'max_steps: "8"',
        "max_steps",
        "max_steps",
        "write 8, without quotes",
    ),
    "a number with a leading zero": (
        "max_steps: 8",
        "max_steps: 08",
        "max_steps",
        "max_steps",
        "write 8, without quotes or leading zeros",
    ),
    "a fraction for a whole number": (
        "max_steps: 8",
        "max_steps: 8.5",
        "max_steps",
        "max_steps",
        "a whole number, not 8.5",
    ),
    "a number that is too small": (
        "max_steps: 8",
        "max_steps: 2",
        "max_steps",
        "max_steps",
        "at least 6, not 2",
    ),
    "no for a truth value": (
        "topology: storefront",
        "topology: storefront\ncanonical: no",
        "canonical",
        "canonical",
        'must be true or false, not the text "no"',
    ),
    "an unknown level": ("level: easy", "level: eazy", "eazy", "level", 'did you mean "easy"?'),
    "an unknown verb": (
        "action: restart\n",
        "action: reboot\n",
        "reboot",
        "tempting.0.action",
        '"reboot" is not allowed here',
    ),
    "a mapping for a list": (
        "supports: [memory_leak]",
        "supports: {a: b}",
        "supports",
        "evidence.0.supports",
        "must be a list, not keys with values",
    ),
    "an item of nothing": (_SOLUTION, "", "- \n", "solution.1", "the value is missing"),
    "an empty list": (
        'clears:\n      - {action: rollback, target: "{victim}"}',
        "clears: []",
        "clears",
        "faults.0.clears",
        "needs 1 or more, and has 0",
    ),
    "a name with a space": (
        "- name: autoscaler",
        "- name: Auto Scaler",
        "Auto Scaler",
        "automation.0.name",
        "is not a valid name",
    ),
    "text that is too long": (
        "v212",
        "v" * 301,
        "vvv",
        "changes.0.version",
        "has 301 characters; 300 at most",
    ),
    "an argument of the wrong type": (
        "args: {cause: memory_leak}",
        "args: {cause: [memory_leak]}",
        "cause: [memory_leak]",
        "solution.0.args.cause",
        "a whole number, keys with values or text, not a list",
    ),
    "an unknown bound of an argument": (
        _SOLUTION,
        "{role: sre, action: scale, target: db, args: {replicas: {at_leest: 3}}}",
        "at_leest",
        "solution.1.args.replicas.at_leest",
        'did you mean "at_least"?',
    ),
    "an id that is not the file's name": (
        "id: slow-sign-in",
        "id: fast-sign-in",
        "id: fast",
        "id",
        "make the id and the name the same",
    ),
    "an unknown topology": (
        "topology: storefront",
        "topology: storfront",
        "topology",
        "topology",
        'did you mean "storefront"?',
    ),
    "a topology outside the folder": (
        "topology: storefront",
        "topology: ../storefront",
        "topology",
        "topology",
        "is not a valid name",
    ),
    "an unknown page": (
        "page: sign_in_success",
        "page: sign_on_success",
        "page:",
        "page",
        'did you mean "sign_in_success"?',
    ),
    "a fault on a service that is not there": (
        '      - service: "{victim}"\n        parameter: memory',
        "      - service: atuh\n        parameter: memory",
        "service: atuh",
        "faults.0.effects.0.service",
        'no service "atuh" in topology storefront; did you mean "auth"?',
    ),
    "a variant's service that is not there": (
        "{victim: auth,",
        "{victim: atuh,",
        '- service: "{victim}"',
        "faults.0.effects.0.service",
        'did you mean "auth"? (from {victim})',
    ),
    "a log of a service that is not there": (
        '{service: "{bystander}", level: INFO',
        "{service: kart, level: INFO",
        "kart",
        "logs.1.service",
        'did you mean "cart"?',
    ),
    "a change of a service that is not there": (
        '  - at: -35\n    service: "{victim}"',
        "  - at: -35\n    service: nobody",
        "nobody",
        "changes.0.service",
        'no service "nobody"',
    ),
    "evidence at a service that is not there": (
        '    at: "{victim}"',
        "    at: nowhere",
        "at: nowhere",
        "evidence.0.at",
        'no service "nowhere"',
    ),
    "evidence about an agent that is not there": (
        "    at: autoscaler",
        "    at: auth",
        "at: auth",
        "evidence.1.at",
        "no agent \"auth\" under 'automation'",
    ),
    "evidence that comes after the end": (
        "    signs: [heap_growth]",
        "    since: 40",
        "since: 40",
        "evidence.0.since",
        "this is never shown: the incident ends at turn 32",
    ),
    "evidence that is over before the page": (
        "    signs: [heap_growth]",
        "    until: -3",
        "until: -3",
        "evidence.0.until",
        "this is never shown: it ends before minute 0",
    ),
    "a move on a service that is not there": (
        "    target: db\n",
        "    target: dbb\n",
        "target: dbb",
        "tempting.0.target",
        'did you mean "db"?',
    ),
    "a solution on a service that is not there": (
        _SOLUTION,
        "{role: dev, action: rollback, target: pay}",
        "target: pay",
        "solution.1.target",
        'no service "pay"',
    ),
    "an escalation about what is not there": (
        _SOLUTION,
        "{role: manager, action: escalate, target: vendor}",
        "target: vendor",
        "solution.1.target",
        'no service "vendor"',
    ),
    "an agent that cannot be paused as it is not there": (
        _SOLUTION,
        "{role: oversight, action: pause, target: autoscalr}",
        "autoscalr}",
        "solution.1.target",
        'did you mean "autoscaler"?',
    ),
    "work for a role that is not there": (
        _SOLUTION,
        "{role: manager, action: assign, target: ops}",
        "target: ops",
        "solution.1.target",
        'no role "ops"',
    ),
    "a target for a verb without one": (
        "action: diagnose, args: {cause: memory_leak}",
        "action: diagnose, target: memory_leak",
        "target: memory_leak",
        "solution.0.target",
        "'diagnose' takes no target; remove it",
    ),
    "a stuck alert of no rule": (
        "rule: disk-high",
        "rule: disc-high",
        "disc-high",
        "stuck_alerts.0.rule",
        'did you mean "disk-high"?',
    ),
    "a stuck alert on no service": (
        "{rule: disk-high, service: queue}",
        "{rule: disk-high, service: kueue}",
        "kueue",
        "stuck_alerts.0.service",
        'did you mean "queue"?',
    ),
    "a log while no such fault is live": (
        "while_live: leak",
        "while_live: leek",
        "while_live",
        "logs.0.while_live",
        'no fault "leek"; did you mean "leak"?',
    ),
    "a cascade of no such fault": (
        "tempting:\n",
        "cascades:\n  - {starts: flood, while_live: leak}\ntempting:\n",
        "starts: flood",
        "cascades.0.starts",
        'no fault "flood"',
    ),
    "two faults with one id": (
        "tempting:\n",
        f"{_SECOND_LEAK}\ntempting:\n",
        "- {id: leak, starts",
        "faults.1.id",
        '"leak" is already taken',
    ),
    "a fault that never starts": (
        '    starts: "{minute}"\n',
        "",
        "- id: leak",
        "faults.0",
        "never starts; set 'starts' to a minute",
    ),
    "a rogue that never acts": (
        _EVENTS,
        f"{_rogue('leak')}\n{_OTHER_AGENT}\n{_EVENTS}",
        "rogue:",
        "automation.0.rogue",
        "a rogue without events never acts",
    ),
    "a rogue that keeps up no fault of the file": (
        _EVENTS,
        f"{_rogue('loss')}\n{_EVENTS}",
        "rogue:",
        "automation.0.rogue.keeps_up.0",
        'no fault "loss"',
    ),
    "a par past the end": ("par: 12", "par: 40", "par: 40", "par", "ends at turn 32"),
    "a growing disk where there is none": (
        "{service: db, parameter: errors",
        "{service: auth, parameter: disk_per_minute",
        "parameter: disk",
        "tempting.0.effects.0.parameter",
        '"auth" has no disk',
    ),
    "a hit rate of what is no cache": (
        "parameter: errors, value: 0.4",
        "parameter: hit_rate, value: 0.4",
        "hit_rate",
        "tempting.0.effects.0.parameter",
        '"db" is not a cache',
    ),
    "a variable never declared": (
        "Roll back {victim}.",
        "Roll back {victin}.",
        "{victin}",
        "hints.answer",
        'no variable "victin"; did you mean "victim"?',
    ),
    "a variable never used": (
        "  host:",
        "  pod: {choices: [a, b]}\n  host:",
        "pod:",
        "variables.pod",
        'nothing uses "pod"',
    ),
    "a variant's key never used": (
        "victim: auth, pace: 4,",
        "victim: auth, pod: 3, pace: 4,",
        "pod: 3",
        "variants.0.pod",
        'nothing uses "pod"',
    ),
    "variants with different keys": (
        "victim: notifications, pace: 5.5, bystander: search",
        "victim: notifications, pace: 5.5",
        "victim: notifications",
        "variants.1",
        'this variant has no "bystander"',
    ),
    "a first variant with too few keys": (
        "victim: auth, pace: 4, bystander: cart",
        "victim: auth, pace: 4",
        "victim: auth",
        "variants.0",
        'this variant has no "bystander"',
    ),
    "a variable that shadows a variant's key": (
        "  host:",
        "  victim: {choices: [db]}\n  host:",
        "victim: {choices",
        "variables.victim",
        'the variants have "victim" too; rename one',
    ),
    "a variable of two kinds": (
        "{id: CHG-####}",
        "{id: CHG-####, number: [1, 2]}",
        "CHG",
        "variables.change",
        "give exactly one of 'choices', 'number' and 'id'",
    ),
    "a range upside down": (
        "[-30, -20]",
        "[-20, -30]",
        "[-20",
        "variables.minute",
        "'number' is [lowest, highest]",
    ),
    "an id without digits": (
        "CHG-####",
        "CHG-1234",
        "CHG",
        "variables.change.id",
        "an id needs '#' for each random digit",
    ),
    "a word that YAML may read as a boolean": (
        "title: Customers cannot sign in",
        "title: no",
        "title:",
        "title",
        'YAML may not read this as text; put it in quotes: "no"',
    ),
    "a choice that YAML may read as a number": (
        "[alpha, beta, gamma]",
        "[alpha, 08, gamma]",
        "alpha",
        "variables.host.choices.1",
        'YAML may not read this as text; put it in quotes: "08"',
    ),
    "a title of blanks": (
        "title: Customers cannot sign in",
        'title: "   "',
        "title:",
        "title",
        "this text is blank; write something or take the key out",
    ),
    "a title that nobody sees": (
        "title: Customers cannot sign in",
        'title: "\u200b\u2060"',
        "title:",
        "title",
        "this text is blank; write something or take the key out",
    ),
    "two lines where one is meant": (
        "title: Customers cannot sign in",
        "title: |\n  Customers\n  cannot sign in",
        "title:",
        "title",
        "this is one line of text; join its lines",
    ),
    "a choice that is there twice": (
        "[alpha, beta, gamma]",
        "[alpha, beta, alpha]",
        "alpha",
        "variables.host",
        "'choices' lists a value twice; remove one",
    ),
    "a choice that is a template": (
        "[alpha, beta, gamma]",
        '[alpha, "{victim}"]',
        "alpha",
        "variables.host.choices.1",
        "can't contain '{' or '}'",
    ),
    "a choice that is no value": (
        "[alpha, beta, gamma]",
        "[alpha, [beta]]",
        "alpha",
        "variables.host.choices.1",
        "text, a whole number or a number, not a list",
    ),
    "a variable without quotes": (
        "    clears:",
        "      - {service: {victim}, parameter: errors, value: 1}\n    clears:",
        "{service: {victim}",
        "faults.0.effects.1.service",
        'put "{victim}" in quotes',
    ),
    "a brace on its own": (
        "those that do not",
        "those that { do not",
        "that { do",
        "hints.nudge",
        "a '{' is unpaired; write '{{' for a brace",
    ),
    "an expression": (
        "Roll back {victim}.",
        "Roll back {victim.name}.",
        "{victim.name}",
        "hints.answer",
        "'{victim.name}' is not a variable",
    ),
    "a level that depends on the seed": (
        "level: easy",
        'level: "{host}"',
        "level:",
        "level",
        "must be the same for every seed",
    ),
    "a choice that makes a number out of range": (
        "[-30, -20]",
        "[-30, 900]",
        "starts:",
        "faults.0.starts",
        "at most 240, not 900 (from {minute})",
    ),
}


@pytest.mark.parametrize("kind", BROKEN_INCIDENTS)
def test_a_broken_incident_is_named_with_line_field_and_cure(tmp_path: Path, kind: str) -> None:
    assert_named(tmp_path, *BROKEN_INCIDENTS[kind])


BROKEN_TOPOLOGIES = {
    "a call to a service that is not there": (
        "{to: bank,",
        "{to: blank,",
        "services.6.calls.1.to",
        'did you mean "bank"?',
    ),
    "calls in a circle": (
        "{to: db, per_request: 0.3,",
        "{to: checkout, per_request: 0.3,",
        "services.7.calls.0.to",
        "a cycle: checkout -> queue -> notifications -> checkout",
    ),
    "a pool to what is not called": (
        "pool: {to: db, size: 4}",
        "pool: {to: queue, size: 4}",
        "services.6.pool.to",
        'no call "queue" from payments',
    ),
    "a call behind what is not called": (
        "timeout_ms: 800, behind: cache}",
        "timeout_ms: 800, behind: edge}",
        "services.4.calls.1.behind",
        'no call "edge" from search',
    ),
    "two services with one name": (
        "- name: search",
        "- name: cart",
        "services.4.name",
        '"cart" is already taken',
    ),
    "users at a service that is not there": (
        "- service: edge",
        "- service: egde",
        "entries.0.service",
        'did you mean "edge"?',
    ),
    "an alert on a service that is not there": (
        "services: [checkout, payments]",
        "services: [checkout, payment]",
        "alerts.5.services.1",
        'did you mean "payments"?',
    ),
    "an alert with two bounds": (
        "above: 400",
        "above: 400\n    below: 2",
        "alerts.3",
        "give exactly one of 'above' and 'below'",
    ),
    "an unknown kind": (
        "kind: queue",
        "kind: queues",
        "services.9.kind",
        'did you mean "queue"?',
    ),
    "a verb with no time": (
        "queue: {restart: 2,",
        "queue: {restart: soon,",
        "minutes_in_flight.queue.restart",
        "must be a whole number",
    ),
    "a verb that is none": (
        "queue: {restart: 2,",
        "queue: {restrat: 2,",
        "minutes_in_flight.queue.restrat",
        'did you mean "restart"?',
    ),
    "a verb that takes no time": (
        "queue: {restart: 2,",
        "queue: {restart: 0,",
        "minutes_in_flight.queue.restart",
        "this must be 1 to 60 minutes, not 0",
    ),
    "a time for what acts at once": (
        "queue: {restart: 2,",
        "queue: {diagnose: 2,",
        "minutes_in_flight.queue.diagnose",
        "'diagnose' acts immediately; remove this",
    ),
    "a time for what does not work there": (
        "queue: {restart: 2,",
        "queue: {rollback: 2,",
        "minutes_in_flight.queue.rollback",
        "'rollback' does not work on a queue; remove it",
    ),
    "an alert that watches nothing": (
        "kinds: [queue]\n    above: 5000",
        "above: 5000",
        "alerts.12",
        "it watches no service of this topology; name some",
    ),
    "an alert on percent where a share is meant": (
        "signal: errors\n    kinds: [edge, app]\n    above: 0.05",
        "signal: errors\n    kinds: [edge, app]\n    above: 5",
        "alerts.1.above",
        "errors is between 0 and 1; use a number in that range",
    ),
    "a page with a name of its own": (
        "slow_site: Page",
        "Slow Site: Pages",
        "pages.Slow Site",
        "is not a valid key: start with a lower-case letter",
    ),
    "an objective of more than all": ("slo: 0.99", "slo: 1.5", "slo", "less than 1, not 1.5"),
    "more replicas than there may be": (
        "max_replicas: 4",
        "max_replicas: 3",
        "",
        "bank starts with more replicas than max_replicas",
    ),
}


@pytest.mark.parametrize("kind", BROKEN_TOPOLOGIES)
def test_a_broken_topology_is_named_with_line_field_and_cure(tmp_path: Path, kind: str) -> None:
    old, new, field, message = BROKEN_TOPOLOGIES[kind]
    text = edited(STOREFRONT, old, new)
    problems = check_file(write(tmp_path / "topologies", text, "storefront"))

    found = [problem for problem in problems if problem.field == field]
    assert len(found) == 1
    assert message in found[0].message
    if field:
        assert abs(found[0].line - line_of(STOREFRONT, old)) <= 3


def test_an_incident_in_a_broken_topology_says_so(tmp_path: Path) -> None:
    write(tmp_path / "topologies", edited(STOREFRONT, "{to: bank,", "{to: blank,"), "storefront")
    path = write(tmp_path, INCIDENT)

    problems = check_file(path)

    assert [problem.field for problem in problems] == ["topology"]
    assert "the file is broken" in problems[0].message
    assert 'did you mean "bank"?' in problems[0].message


def test_all_problems_of_a_file_come_at_once_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = INCIDENT
    for old, new in (
        ("title:", "titel:"),
        ("max_steps: 8", "max_steps: 3"),
        ("{victim: auth,", "{victim: atuh,"),
        ("while_live: leak", "while_live: leek"),
        ("Roll back {victim}.", "Roll back {victin}."),
        ("rule: disk-high", "rule: disc-high"),
        ("lesson:", "lesson: again\n  lesson:"),
    ):
        text = edited(text, old, new)

    problems = check_file(write(tmp_path, text))

    assert {problem.field for problem in problems} >= {
        "title",
        "titel",
        "max_steps",
        "faults.0.effects.0.service",
        "logs.0.while_live",
        "hints.answer",
        "stuck_alerts.0.rule",
        "debrief.lesson",
    }
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)


def test_an_incident_without_a_fault_has_to_be_a_false_alarm(tmp_path: Path) -> None:
    start, end = INCIDENT.index("faults:\n"), INCIDENT.index("tempting:\n")
    text = f"{INCIDENT[:start]}faults: []\n{INCIDENT[end:]}"
    problems = check_file(write(tmp_path, text))

    assert any("only a false alarm has no fault; add" in problem.message for problem in problems)


def test_each_variant_and_each_choice_is_checked(tmp_path: Path) -> None:
    text = edited(
        INCIDENT, "host: {choices", "spot: {choices: [db, cache, moon]}\n  host: {choices"
    )
    text = edited(text, "{rule: disk-high, service: queue}", '{rule: disk-high, service: "{spot}"}')
    text = edited(text, "bystander: search}", "bystander: reserch}")

    messages = " ".join(str(problem) for problem in check_file(write(tmp_path, text)))

    assert '"moon"' in messages
    assert '"reserch"' in messages


def test_a_problem_is_named_once_however_many_variants_have_it(tmp_path: Path) -> None:
    many = ", ".join(f"host-{i}" for i in range(100))
    text = edited(INCIDENT, "[alpha, beta, gamma]", f"[{many}]")
    text = edited(text, "rule: disk-high", "rule: disc-high")
    problems = check_file(write(tmp_path, edited(text, "service: queue", "service: kueue")))

    assert sorted(problem.field for problem in problems) == [
        "stuck_alerts.0.rule",
        "stuck_alerts.0.service",
    ]


def test_opening_a_broken_file_names_the_first_problem_and_counts_the_others(
    tmp_path: Path,
) -> None:
    text = edited(edited(INCIDENT, "par: 12", "par: x"), "max_steps: 8", "max_steps: y")
    path = write(tmp_path, text)

    with pytest.raises(ScenarioError) as caught:
        open_scenario(path)

    assert str(caught.value).startswith(f"{path}:7: max_steps: this must be a whole number")
    assert str(caught.value).endswith(f"(and 1 more: run chaosops scenarios validate {path})")


@pytest.mark.parametrize("flood", ["{", "{{", "{victim}", "}x{"])
def test_a_flood_of_braces_is_no_hang(tmp_path: Path, flood: str) -> None:
    text = edited(INCIDENT, "Look at what grows.", f"'{flood * (900_000 // len(flood))}'")

    problems = check_file(write(tmp_path, text))

    assert {problem.field for problem in problems} == {"hints.direction"}
    assert all(len(problem.message) < 200 for problem in problems)


def test_ten_thousand_unknown_keys_are_reported_in_few_lines(tmp_path: Path) -> None:
    keys = "".join(f"titel{i}: x\n" for i in range(10_000))
    problems = check_file(write(tmp_path, INCIDENT + keys))

    assert len(problems) == 101
    assert "more problems" in problems[-1].message


@given(st.binary(max_size=300), st.booleans())
def test_no_bytes_give_anything_but_problems(
    tmp_path: Path, content: bytes, as_topology: bool
) -> None:
    folder = tmp_path / "topologies" if as_topology else tmp_path
    path = write(folder, content)

    assert check_file(path)
    with pytest.raises(ScenarioError):
        open_scenario(path)


_values = st.sampled_from(
    ["", "~", "no", "1e3", "08", "-1", "[]", "{}", "[[1]]", "{a: b}", '"{x}"', "{victim}", "'{'"]
)


@given(st.integers(0, INCIDENT.count("\n") - 1), _values, st.booleans())
def test_no_edit_of_a_good_file_gives_anything_but_problems(
    tmp_path: Path, number: int, value: str, drop: bool
) -> None:
    lines = INCIDENT.split("\n")
    key, colon, _rest = lines[number].partition(": ")
    lines[number] = "" if drop else f"{key}{colon}{value}"
    path = write(tmp_path, "\n".join(lines))

    problems = check_file(path)

    for problem in problems:
        assert problem.path == path
        assert 0 < problem.line <= len(lines)
        assert str(problem).isprintable()
    if not problems:
        assert open_scenario(path).render(5).id == "slow-sign-in"


@pytest.mark.parametrize("number", [".nan", ".inf", "1e308", "9" * 401])
@pytest.mark.parametrize(
    ("old", "field"),
    [("par: 12", "par"), ("value: 0.4", "tempting.0.effects.0.value"), ("at: -35", "changes.0.at")],
)
def test_of_a_number_out_of_range_nothing_is_said_but_that(
    old: str, field: str, number: str, tmp_path: Path
) -> None:
    key, _colon, _old = old.partition(" ")
    (problem,) = check_file(write(tmp_path, edited(INCIDENT, old, f"{key} {number}")))
    assert problem.field == field
    assert "is out of range" in problem.message
