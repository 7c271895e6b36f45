"""Every kind of broken chain: each gets its line, its field and a cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.env.trials import try_file
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.folders import builtin_folder
from chaosops.scenarios.loader import open_scenario
from tests.scenarios.files import edited, line_of

FILE = (builtin_folder() / "medium" / "requests-fail-here-and-there.yaml").read_text("utf-8")
OUTAGE = "  - {cause: zone_outage, places: [catalog, auth, cart]}\n"
CHAIN = """  - cause: zone_outage
    places: [catalog, auth, cart]
    follows:
      - cause: reconnect_herd
        by: [escalate]
        at: place
        link: Everyone comes back at once.
"""


def chained(home: Path, chain: str = CHAIN) -> Path:
    """A situation whose outage of a zone is followed by that."""
    text = edited(FILE, "id: requests-fail-here-and-there", "id: own-chain")
    path = home / "medium" / "own-chain.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(edited(text, OUTAGE, chain), "utf-8")
    return path


BROKEN = {
    # what is broken: (old, new, words on the line it is reported on, field, part of the message)
    "a cause that nobody knows": (
        "cause: reconnect_herd",
        "cause: reconnect_heard",
        "cause: reconnect_heard",
        "casts.1.follows.0.cause",
        'no cause "reconnect_heard"; did you mean "reconnect_herd"?',
    ),
    "the cause of the cast again": (
        "cause: reconnect_herd",
        "cause: zone_outage",
        "      - cause: zone_outage",
        "casts.1.follows.0.cause",
        "'zone_outage' is in this chain already; name another",
    ),
    "a leader that is not there": (
        "by: [escalate]",
        "of: lossy_link",
        "of: lossy_link",
        "casts.1.follows.0.of",
        "'lossy_link' is not in this chain; there are: zone_outage, reconnect_herd",
    ),
    "itself as its leader": (
        "by: [escalate]",
        "of: reconnect_herd",
        "of: reconnect_herd",
        "casts.1.follows.0.of",
        "'reconnect_herd' cannot follow itself; remove it to let it follow zone_outage",
    ),
    "two that wait for each other": (
        "by: [escalate]",
        "of: hot_path\n        link: One.\n      - cause: hot_path\n        of: reconnect_herd",
        "of: hot_path",
        "casts.1.follows.0.of",
        "reconnect_herd and hot_path wait for each other; let one of them follow zone_outage",
    ),
    "an action that does not clear its leader": (
        "by: [escalate]",
        "by: [restart]",
        "by: [restart]",
        "casts.1.follows.0.by.0",
        "restart doesn't clear zone_outage, so it never sets this off; use escalate",
    ),
    "a landing without an action": (
        "by: [escalate]",
        "when: landed",
        "      - cause: reconnect_herd",
        "casts.1.follows.0",
        "by: name the actions of which one has to land",
    ),
    "a landing where the action never lands": (
        "by: [escalate]",
        "when: landed\n        by: [purge]",
        "by: [purge]",
        "casts.1.follows.0.by.0",
        "purge never lands on auth, so it never sets this off; choose another action or part",
    ),
    "a landing on a part that is not there": (
        "by: [escalate]",
        "when: landed\n        by: [restart]\n        on: cache",
        "on: cache",
        "casts.1.follows.0.on",
        "zone_outage has no cache here; choose another part",
    ),
    "an action for what time sets off": (
        "by: [escalate]",
        "when: onset\n        by: [escalate]",
        "by: [escalate]",
        "casts.1.follows.0.by",
        "no action sets it off with 'when: onset'; remove it",
    ),
    "arguments of no landing": (
        "by: [escalate]",
        "args: {unit: zone}",
        "args: {unit: zone}",
        "casts.1.follows.0.args",
        "only an action that lands has it; use 'when: landed'",
    ),
    "minutes in the wrong order": (
        "by: [escalate]",
        "after: [3, 1]",
        "after: [3, 1]",
        "casts.1.follows.0.after",
        "use two minutes from 0 to 60, the earlier one first",
    ),
    "a wait that outlasts the hold": (
        "by: [escalate]",
        "after: [1, 30]",
        "after: [1, 30]",
        "casts.1.follows.0.after",
        "people wait for the end of the hold and no longer; use 15 minutes at most",
    ),
    "an onset after the par": (
        "by: [escalate]",
        "when: onset\n        after: [20, 40]",
        "after: [20, 40]",
        "casts.1.follows.0.after",
        "it may begin when the par of 28 is over; let it begin earlier",
    ),
    "two places": (
        "by: [escalate]",
        "places: [catalog]",
        "places: [catalog]",
        "casts.1.follows.0.places",
        "'at' says already where it sits; remove one of them",
    ),
    "a place that it does not fit": (
        "at: place",
        "places: [db]",
        "places: [db]",
        "casts.1.follows.0.places.0",
        'reconnect_herd cannot be at "db"; there are: checkout, cart, catalog, auth, payments',
    ),
    "a part that it does not fit": (
        "at: place",
        "at: store",
        "at: store",
        "casts.1.follows.0.at",
        "reconnect_herd fits nowhere when zone_outage is at cart; it could be at checkout, cart,",
    ),
    "a caller that never calls the place": (
        "at: place",
        "at: place\n        callers: [checkout]",
        "callers: [checkout]",
        "casts.1.follows.0.callers",
        "reconnect_herd fits nowhere when zone_outage is at catalog",
    ),
    "a cause that fits nowhere": (
        "cause: reconnect_herd\n        by: [escalate]\n        at: place",
        "cause: poison_message",
        "cause: poison_message",
        "casts.1.follows.0.cause",
        "poison_message fits nowhere in shop; remove it, or use another topology",
    ),
    "what an agent does": (
        "cause: reconnect_herd",
        "cause: rogue_scale_in",
        "cause: rogue_scale_in",
        "casts.1.follows.0.cause",
        "rogue_scale_in is what the agent autoscaler does from the page on; let it begin the chain",
    ),
    "what is rolled out": (
        "cause: reconnect_herd",
        "cause: bad_release",
        "cause: bad_release",
        "casts.1.follows.0.cause",
        "bad_release is rolled out from the page on; let it begin the chain, or use another",
    ),
    "an alarm without an outage": (
        "cause: reconnect_herd\n        by: [escalate]\n        at: place",
        "cause: broken_probe",
        "cause: broken_probe",
        "casts.1.follows.0.cause",
        "broken_probe is harmless, so nobody would notice it; let it begin the chain",
    ),
    "a zone for a cause that has none": (
        "by: [escalate]",
        "next_zone: true",
        "next_zone: true",
        "casts.1.follows.0.next_zone",
        "reconnect_herd is about no zone; remove it",
    ),
    "no word on why": (
        "        link: Everyone comes back at once.\n",
        "",
        "      - cause: reconnect_herd",
        "casts.1.follows.0.link",
        "is missing",
    ),
}


def test_the_chain_that_is_broken_below_is_sound(tmp_path: Path) -> None:
    path = chained(tmp_path)
    assert check_file(path) == []
    assert open_scenario(path).id == "own-chain"


@pytest.mark.few(3)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_chain_is_told_with_its_line_and_the_cure(broken: str, tmp_path: Path) -> None:
    old, new, words, field, message = BROKEN[broken]
    chain = edited(CHAIN, old, new)
    path = chained(tmp_path, chain)
    found = [problem for problem in check_file(path) if problem.field == field]
    assert len(found) == 1, [str(problem) for problem in check_file(path)]
    assert message in found[0].message
    first = line_of(path.read_text("utf-8"), "  - cause: zone_outage")
    assert found[0].line == first + line_of(chain, words) - 1


def test_a_follower_that_cannot_get_strong_enough_is_told(tmp_path: Path) -> None:
    """Search is optional in the shop, so a quota there hurts nobody."""
    chain = edited(edited(CHAIN, "reconnect_herd", "cpu_quota"), "at: place", "places: [search]")
    path = chained(tmp_path, chain)
    assert check_file(path) == []
    (problem,) = try_file(path)
    assert problem.field == "casts.1.follows.0.cause"
    assert "after zone_outage at" in problem.message
    assert "should fail" in problem.message
