"""Every kind of broken incident and topology: each gets its line, its field and a cure."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.errors import ScenarioError
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.loader import open_scenario
from tests.scenarios.files import INCIDENT, STOREFRONT, assert_named, edited, line_of, write

_CASTS = INCIDENT[INCIDENT.index("casts:\n") : INCIDENT.index("\nautomation:")]
_BOT = "    standing: {kind: deploy_bot, canary_minutes: 15}\n"
_FOLLOWS = "        at: place\n"

BROKEN_INCIDENTS = {
    # what is broken: (old, new, words on the line it is reported on, field, part of the message)
    "an unknown key": ("title:", "titel:", "titel", "titel", 'did you mean "title"?'),
    "an unknown key deep down": (
        "parameter: delay_ms",
        "parametre: delay_ms",
        "parametre",
        "decoys.0.parametre",
        'did you mean "parameter"?',
    ),
    "an unknown key with nothing like it": (
        "  duty:",
        "  zzz: 1\n    duty:",
        "zzz",
        "automation.0.zzz",
        "there are: name, duty, policy, events, standing, releases",
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
    "an exponent for text": (
        "r212",
        "1e3",
        "1e3",
        "automation.1.releases.0.build",
        "put it in quotes",
    ),
    "a truth value for text": (
        "r212",
        "true",
        "true",
        "automation.1.releases.0.build",
        "put it in quotes",
    ),
    "nothing for text": (
        "r212",
        "",
        "build:",
        "automation.1.releases.0.build",
        "the value is missing",
    ),
    "a list for text": (
        "r212",
        "[a]",
        "[a]",
        "automation.1.releases.0.build",
        "must be text, not a list",
    ),
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
        _FOLLOWS,
        f"{_FOLLOWS}        next_zone: no\n",
        "next_zone",
        "casts.4.follows.0.next_zone",
        'must be true or false, not the text "no"',
    ),
    "an unknown level": ("level: easy", "level: eazy", "eazy", "level", 'did you mean "easy"?'),
    "an unknown verb": (
        "by: [escalate]",
        "by: [escalade]",
        "escalade",
        "casts.4.follows.0.by.0",
        '"escalade" is not allowed here; did you mean "escalate"?',
    ),
    "a mapping for a list": (
        "callers: [auth]",
        "callers: {a: b}",
        "callers",
        "casts.1.callers",
        "must be a list, not keys with values",
    ),
    "an item of nothing": (
        "{cause: cpu_quota, places: [auth]}",
        "",
        "- \n",
        "casts.2",
        "the value is missing",
    ),
    "an empty list": (_CASTS, "casts: []\n", "casts", "casts", "needs 1 or more, and has 0"),
    "a name with a space": (
        "- name: autoscaler",
        "- name: Auto Scaler",
        "Auto Scaler",
        "automation.0.name",
        "is not a valid name",
    ),
    "text that is too long": (
        "r212",
        "v" * 301,
        "vvv",
        "automation.1.releases.0.build",
        "has 301 characters; 300 at most",
    ),
    "an argument of the wrong type": (
        _FOLLOWS,
        f"{_FOLLOWS}        args: {{unit: [zone]}}\n",
        "unit: [zone]",
        "casts.4.follows.0.args.unit",
        "a whole number, keys with values or text, not a list",
    ),
    "an unknown bound of an argument": (
        _FOLLOWS,
        f"{_FOLLOWS}        args: {{replicas: {{at_leest: 3}}}}\n",
        "at_leest",
        "casts.4.follows.0.args.replicas.at_leest",
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
    "a place that is not there": (
        "places: [auth, cart]",
        "places: [atuh, cart]",
        "atuh",
        "casts.0.places.0",
        'memory_leak cannot be at "atuh"; use one of: checkout, cart',
    ),
    "a caller that is not there": (
        "callers: [auth]",
        "callers: [kart]",
        "kart",
        "casts.1.callers.0",
        'row_lock cannot be at "kart"; use one of: cart',
    ),
    "a caller of a cause without one": (
        "{cause: cpu_quota, places: [auth]}",
        "{cause: cpu_quota, places: [auth], callers: [edge]}",
        "callers: [edge]",
        "casts.2.callers.0",
        "it needs no 'callers': remove it",
    ),
    "a cause that fits nowhere in the fleet": (
        "{cause: cpu_quota, places: [auth]}",
        "{cause: hot_partition}",
        "hot_partition",
        "casts.2.cause",
        "hot_partition fits nowhere in storefront; remove it, or use another topology",
    ),
    "a cause that is listed twice": (
        "cause: cpu_quota",
        "cause: memory_leak",
        "casts:",
        "casts",
        "'memory_leak' is listed twice; list all its places in one entry",
    ),
    "fewer causes than the level needs": (
        _CASTS,
        "casts:\n  - {cause: memory_leak}\n  - {cause: cpu_quota}\n",
        "casts:",
        "casts",
        "level easy needs at least 3 causes; add 1",
    ),
    "a decoy at a service that is not there": (
        "- at: search",
        "- at: nowhere",
        "nowhere",
        "decoys.0.at",
        'storefront has no service "nowhere"; there are: edge, checkout',
    ),
    "a release of a service that is not there": (
        "{service: search, build",
        "{service: serch, build",
        "serch",
        "automation.1.releases.0.service",
        'did you mean "search"?',
    ),
    "an act on a service that is not there": (
        "        target: queue\n",
        "        target: kueue\n",
        "kueue",
        "automation.2.events.0.target",
        'did you mean "queue"?',
    ),
    "two agents of one name": (
        "- name: deploy_bot",
        "- name: autoscaler",
        "automation:",
        "automation",
        "names must differ",
    ),
    "an agent that acts by a policy and by a script": (
        _BOT,
        f"{_BOT}    events: [{{at: 1, act: a, target: db, reason: r, approval: p}}]\n",
        "events: [{at: 1",
        "automation.1.events",
        "what this agent does follows from 'standing'; remove one of them",
    ),
    "releases of an agent that is no deploy bot": (
        _BOT,
        "",
        "releases:",
        "automation.1.releases",
        "only an agent whose standing is a deploy_bot has them",
    ),
    "a policy of no kind": (
        "kind: deploy_bot",
        "kind: deploy_bott",
        "deploy_bott",
        "automation.1.standing",
        'there is no kind "deploy_bott"; did you mean "deploy_bot"?',
    ),
    "a word that YAML may read as a boolean": (
        "title: Customers cannot sign in",
        "title: no",
        "title:",
        "title",
        'YAML may not read this as text; put it in quotes: "no"',
    ),
    "a name that YAML may read as a number": (
        "r212",
        "08",
        "08",
        "automation.1.releases.0.build",
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
    "a title that says the answer": (
        "title: Customers cannot sign in",
        "title: A memory leak in the morning",
        "title:",
        "title",
        '"memory leak" gives the answer away, memory_leak; describe the symptom',
    ),
}


@pytest.mark.few(3)
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
        ("hold: 4", "hold: 4\nfaults: []"),
        ("callers: [auth]", "callers: [atuh]"),
        ("cause: cpu_quota", "cause: cpu_quotas"),
        ("target: queue", "target: kueue"),
        ("I am asked for my password", "It leaks my password"),
        ("direction:", "nudge: again\n  direction:"),
    ):
        text = edited(text, old, new)

    problems = check_file(write(tmp_path, text))

    assert [problem.field for problem in problems] == [
        "title",
        "titel",
        "max_steps",
        "faults",
        "casts.1.callers.0",
        "casts.2.cause",
        "automation.2.events.0.target",
        "tickets.0.text",
        "hints.nudge",
    ]
    assert [problem.line for problem in problems] == sorted(problem.line for problem in problems)


def test_opening_a_broken_file_names_the_first_problem_and_counts_the_others(
    tmp_path: Path,
) -> None:
    text = edited(edited(INCIDENT, "par: 12", "par: x"), "max_steps: 8", "max_steps: y")
    path = write(tmp_path, text)

    with pytest.raises(ScenarioError) as caught:
        open_scenario(path)

    assert str(caught.value).startswith(f"{path}:7: max_steps: this must be a whole number")
    assert str(caught.value).endswith(f"(and 1 more: run chaosops scenarios validate {path})")


@pytest.mark.parametrize("flood", ["{", "x", "leak ", "a: "])
def test_a_flood_of_text_is_no_hang(tmp_path: Path, flood: str) -> None:
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


@pytest.fixture(scope="module")
def reader() -> FileReader:
    """A reader that keeps the causes and the topology that all the edits name."""
    return FileReader(())


_values = st.sampled_from(
    ["", "~", "no", "1e3", "08", "-1", "[]", "{}", "[[1]]", "{a: b}", '"{x}"', "{x}", "'{'"]
)


@given(st.integers(0, INCIDENT.count("\n") - 1), _values, st.booleans())
def test_no_edit_of_a_good_file_gives_anything_but_problems(
    tmp_path: Path, reader: FileReader, number: int, value: str, drop: bool
) -> None:
    lines = INCIDENT.split("\n")
    key, colon, _rest = lines[number].partition(": ")
    lines[number] = "" if drop else f"{key}{colon}{value}"
    path = write(tmp_path, "\n".join(lines))

    problems = reader.check(path)

    for problem in problems:
        assert problem.path == path
        assert 0 < problem.line <= len(lines)
        assert str(problem).isprintable()
    if not problems:
        assert open_scenario(path).render(5).id == "slow-sign-in"


@pytest.mark.parametrize("number", [".nan", ".inf", "1e308", "9" * 401])
@pytest.mark.parametrize(
    ("old", "field"),
    [("par: 12", "par"), ("value: 420", "decoys.0.value"), ("at: -35", "automation.2.events.0.at")],
)
def test_of_a_number_out_of_range_nothing_is_said_but_that(
    old: str, field: str, number: str, tmp_path: Path
) -> None:
    key, _colon, _old = old.partition(" ")
    (problem,) = check_file(write(tmp_path, edited(INCIDENT, old, f"{key} {number}")))
    assert problem.field == field
    assert "is out of range" in problem.message
