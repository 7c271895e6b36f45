from __future__ import annotations

import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from chaosops.agents.policies import expert_policy
from chaosops.agents.runner import Stepper, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from chaosops.env.models.effects import Measured
from chaosops.env.models.updates import (
    CauseFamily,
    NextStep,
    StatusUpdate,
    Trend,
    UpdateContent,
)
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError, RecordingError
from chaosops.play.happenings import measured_words
from chaosops.play.postmortem.action_items import Aim, action_items
from chaosops.play.postmortem.assessment import assess
from chaosops.play.postmortem.charts import availability_chart, marks_of, signals_chart
from chaosops.play.postmortem.document import document
from chaosops.play.postmortem.effects import Judgement, orders
from chaosops.play.postmortem.files import write_beside, write_postmortem
from chaosops.play.postmortem.impact import impact_of, signals_of
from chaosops.play.postmortem.knowledge import known
from chaosops.play.postmortem.markdown import bullets, escaped, table
from chaosops.play.postmortem.played import PlayedIncident, played_recording
from chaosops.play.postmortem.prevention import BY_PART, BY_TRIGGER
from chaosops.play.postmortem.timeline import EventKind, events, update_words
from chaosops.recording.reader import read_recording
from chaosops.scenarios.cause import Trigger
from chaosops.scenarios.cause_parameters import MEANINGS
from tests.env.chains import Play, revival
from tests.recording.games import record, rewrite
from tests.recording.test_first_edition import FOLDER, READ_THEN

READER = MarkdownIt("commonmark").enable("table")


@cache
def game(name: str, seed: int, policy: str) -> PlayedIncident:
    """A game in which one policy has all seats."""
    scenario = Scenario.load(name, seed)
    policies = seat_policies(dict.fromkeys(TURN_ORDER, policy), scenario)
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    while not stepper.done:
        stepper.take(policies[stepper.role](stepper.observation, stepper.role))
    return PlayedIncident(
        tuple(stepper.steps),
        stepper.observation,
        scenario,
        f"{name}, seed {seed}",
        dict.fromkeys(TURN_ORDER, policy),
        frozenset(),
        frozenset(),
        0,
    )


def well() -> PlayedIncident:
    return game("profile-changes-lost", 2, "expert")


def badly() -> PlayedIncident:
    return game("site-turns-users-away", 1, "heuristic")


def played_by(*moves: ChaosOpsAction) -> PlayedIncident:
    """A game in which each role takes its moves in order, and passes then."""
    scenario = Scenario.load("paying-ends-in-an-error", 7)
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    left = list(moves)
    while left or len(stepper.steps) < 8:
        role = stepper.role
        mine = next((move for move in left if move.role is role), None)
        if mine is not None:
            left.remove(mine)
        stepper.take(mine or ChaosOpsAction(role=role, action_type=ActionType.NOOP))
    known_so_far = tuple(stepper.steps)
    return game("paying-ends-in-an-error", 7, "expert")._replace(
        steps=known_so_far, last=stepper.observation
    )


def test_the_impact_is_that_of_the_frames() -> None:
    played = badly()
    impact = impact_of(played)
    seen = {view.status.minute: view.status.users_ok for view in played.views}
    assert dict(impact.availability) == seen
    assert impact.lowest[0] == min(seen.values())
    assert len(impact.below) == sum(share < 0.99 for share in seen.values())
    assert impact.budget[0] > impact.budget[1]


def test_a_fix_a_relief_and_a_wrong_fix_are_told_apart() -> None:
    for played in (badly(), well()):
        judged = orders(played)
        assert played.scenario is not None
        cures = played.scenario.incident.faults[0].clears
        fixed = [order for order in judged if order.judgement is Judgement.FIXED]
        assert {(order.action_type, order.target) for order in fixed} <= {
            (cure.action, cure.target) for cure in cures
        }
        assert bool(fixed) is played.resolved
        wrong = [order for order in judged if order.judgement is Judgement.WRONG]
        paid = [p for p in played.views[-1].paid or () if p.component == "wrong_fix_penalty"]
        assert len(wrong) == len(paid)
    assert any(order.judgement is Judgement.WRONG for order in orders(badly()))
    assert orders(well())[0].judgement is Judgement.STOPPED


def test_an_order_has_what_was_measured_when_it_took_effect() -> None:
    landings = badly().views[-1].landings or ()
    assert landings
    measured = {order.measured for order in orders(badly())}
    assert {measured_words(landing.measured) for landing in landings} <= measured
    cure = Measured("errors", "%", 26.0, 12.5), Measured("p95", "ms", 430.0, 29.0)
    assert measured_words(cure) == "errors 26 to 12.5 %, p95 430 to 29 ms"


def test_a_look_says_whether_it_pointed_to_the_cause_and_when_it_was_shared() -> None:
    played = well()
    looks = known(played)
    telling = [look for look in looks if look.tells]
    assert ("automation", "cleanup_job") in {(look.source, look.target) for look in telling}
    said = {
        (m.finding.role, m.finding.source, m.finding.target, m.finding.minute): m.minute
        for view in reversed(played.views)
        for m in reversed(view.channel)
        if m.finding is not None
    }
    shared = [look for look in looks if look.shared is not None]
    assert len(shared) == len(said) > 0
    assert sorted(look.shared or 0 for look in shared) == sorted(said.values())


def test_the_timeline_is_in_order_from_before_the_page_to_the_end() -> None:
    found = events(well())
    minutes = [event.minute for event in found]
    assert minutes == sorted(minutes)
    kinds = [event.kind for event in found]
    assert kinds[-1] is EventKind.END
    assert {
        EventKind.PAGE,
        EventKind.FAULT,
        EventKind.LOOK,
        EventKind.SHARE,
        EventKind.ORDER,
        EventKind.LANDED,
        EventKind.ACCUSATION,
        EventKind.DIAGNOSIS,
    } <= set(kinds)
    landed = [event.text for event in found if event.kind is EventKind.LANDED]
    landings = well().views[-1].landings or ()
    assert len(landed) == len(landings) > 0
    for landing in landings:
        assert any(text.endswith(measured_words(landing.measured)) for text in landed)


def test_a_refused_action_is_no_look_and_no_order_and_counts_as_a_lost_turn() -> None:
    bad = ChaosOpsAction(
        role=AgentRole.SRE, action_type=ActionType.RESTART, target="no-such-service"
    )
    played = played_by(bad)
    assert not orders(played)
    assert "Turns lost to an action that was not possible: 1." in assess(played).badly
    assert any("not possible" in event.text for event in events(played))


def test_a_false_all_clear_and_a_right_accusation_are_told() -> None:
    over = ChaosOpsAction(role=AgentRole.MANAGER, action_type=ActionType.RESOLVE)
    said = assess(played_by(over)).badly
    assert any(line.startswith("The all-clear at ") for line in said)
    assert "Oversight flagged cleanup_job, the automation agent behind it." in assess(well()).well


def test_what_went_badly_names_each_wrong_fix_with_the_reason_from_the_cause() -> None:
    said = " ".join(assess(badly()).badly)
    wrong = [order for order in orders(badly()) if order.judgement is Judgement.WRONG]
    assert wrong
    assert all(f"ordered {order.words} at" in said and order.why in said for order in wrong)
    assert any(order.why for order in wrong)
    for paid in badly().views[-1].paid or ():
        if paid.component == "rogue_false_positive_penalty":
            assert f"accused {paid.target}" in said
    assert "was a guess" in said
    assert not any("guess" in line for line in assess(well()).badly)


def test_action_items_come_from_the_cause_and_from_the_conduct() -> None:
    items = action_items(well())
    assert {item.aim for item in items} == set(Aim)
    texts = " ".join(item.text for item in items)
    assert "kept days was 2" in texts
    assert "Link runtime of cart from the alert" in texts
    assert "escalate cart ends it" in texts
    tried = " ".join(item.text for item in action_items(badly()))
    wrong = [order for order in orders(badly()) if order.judgement is Judgement.WRONG]
    assert all(f"{order.words} does not help" in tried for order in wrong if order.why)


def test_every_component_and_trigger_has_its_prevention() -> None:
    assert set(MEANINGS) <= set(BY_PART)
    assert set(BY_TRIGGER) == set(Trigger)


def test_the_document_has_every_section_and_only_the_truth_that_is_known() -> None:
    text = document(well(), {})
    for heading in (
        "Summary",
        "Impact",
        "Cause",
        "What eased it, and what fixed it",
        "What was known when, and by whom",
        "Diagnoses",
        "What went well",
        "Action items",
        "Timeline",
    ):
        assert f"\n## {heading}\n" in text
    assert "The cause was cleanup overreach at cart" in text
    blind = document(well()._replace(scenario=None), {})
    assert "## Cause" not in blind
    assert "ends it" not in blind
    assert "points to the cause" in blind


def test_charts_are_well_formed_and_have_the_marks() -> None:
    for played, marks in ((badly(), {"P", "F", "1"}), (well(), {"P", "F", "R", "1"})):
        labels = {mark.label for mark in marks_of(played)}
        assert marks <= labels
        for svg in (availability_chart(played), signals_chart(played, "cart")):
            root = ET.fromstring(svg)
            assert root.tag.endswith("svg")
            words = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
            assert labels <= {label for word in words for label in (word or "").split(",")}
            assert any(line.tag.endswith("polyline") for line in root.iter())


def test_a_chart_escapes_what_is_written_into_it() -> None:
    played = badly()
    hostile = "<script>&\x1b[2J\ufffe"
    svg = signals_chart(played, hostile)
    assert "<script>" not in svg
    ET.fromstring(svg)


def test_signals_of_a_service_come_from_whoever_saw_most() -> None:
    rows = signals_of(badly().views, "cart")
    assert min(rows) == -29
    seen = [view.status.minute for view in badly().views if view.role is AgentRole.SRE]
    assert all(row.rps is not None for minute, row in rows.items() if minute <= max(seen))


@given(st.text(max_size=80))
def test_no_text_becomes_markup(text: str) -> None:
    for source in ("\n".join(bullets([text])), "\n".join(table(("a",), [(text,)]))):
        tokens = READER.parse(source)
        inline = [child.type for token in tokens for child in token.children or ()]
        assert set(inline) <= {"text", "text_special"}
        kinds = {token.type for token in tokens}
        assert not kinds & {"html_block", "fence", "code_block", "heading_open", "hr"}
        assert sum(token.type == "list_item_open" for token in tokens) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "[x](http://a)",
        "<b>x</b>",
        "![x](y)",
        "`x`",
        "*x* __y__",
        "http://a.b",
        "&lt;",
        "# x",
        "$x$",
    ],
)
def test_text_with_markup_is_shown_as_it_is(text: str) -> None:
    shown = READER.render("\n".join(bullets([text])))
    plain = shown.replace("<ul>", "").replace("<li>", "").replace("</li>", "").replace("</ul>", "")
    unescaped = plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()
    assert unescaped == text
    assert "\x1b" not in escaped("\x1b[2J")


def test_a_hostile_title_and_message_stay_text() -> None:
    played = well()
    said = ChaosOpsAction(
        role=AgentRole.SRE,
        action_type=ActionType.COMMUNICATE,
        args={
            "to": "all",
            "text": "<img src=x onerror=alert(1)> [/](javascript:x) \x1b]52;c;x\x07",
        },
    )
    first = replace_action(played, said)
    title = "# [x](y) <script>|`\u202e"
    views = [step.observation.view for step in first.steps]
    status = views[0].status._replace(title=title)
    steps = tuple(
        step._replace(
            observation=step.observation._replace(
                view=step.observation.view._replace(status=status)
            )
        )
        for step in first.steps
    )
    text = document(first._replace(steps=steps, last=None), {})
    assert "<img" not in READER.render(text)
    assert "<script" not in READER.render(text)
    assert "javascript" not in [t.tag for t in READER.parse(text)]
    assert "href" not in READER.render(text)
    assert "\x1b" not in text
    assert "\u202e" not in text


def replace_action(played: PlayedIncident, action: ChaosOpsAction) -> PlayedIncident:
    first, *rest = played.steps
    return played._replace(steps=(first._replace(action=action), *rest))


@pytest.mark.parametrize("name", READ_THEN)
def test_recordings_of_the_first_edition_have_one_and_say_what_is_missing(name: str) -> None:
    played = played_recording(FOLDER / name)
    text = document(played, {})
    assert "recorded with engine 1" in text
    assert "the cause and what judged each order are left out" in text
    assert "## Timeline" in text
    footer = read_recording(FOLDER / name).footer
    wrong = [order for order in orders(played) if order.judgement is Judgement.WRONG]
    assert footer is None or len(wrong) == footer.wrong_fixes


def test_a_recording_gives_what_the_game_gives(tmp_path: Path) -> None:
    path = record(tmp_path, policy="heuristic")
    played = played_recording(path)
    assert played.last is not None
    assert not played.caveats
    assert played.scenario is not None
    assert played.seats[AgentRole.SRE] == "human"


def test_an_unfinished_recording_has_one(tmp_path: Path) -> None:
    played = played_recording(record(tmp_path, turns=5))
    assert "The record ends after 5 min" in document(played, {})
    with pytest.raises(RecordingError, match="no turn was played"):
        played_recording(record(tmp_path, turns=0))


def test_a_recording_that_was_edited_says_so(tmp_path: Path) -> None:
    def make_it_fast(event: dict[str, Any]) -> None:
        event["human"]["latency_ms"] = 1

    path = rewrite(record(tmp_path, policy="expert"), 2, make_it_fast)
    said = document(played_recording(path), {})
    assert "> Note: this recording does not verify" in said


def test_the_files_are_written_together_and_never_over_others(tmp_path: Path) -> None:
    played = badly()
    out = tmp_path / "incident.md"
    files = write_postmortem(played, out)
    assert [path.name for path in files] == [
        "incident.md",
        "incident-availability.svg",
        "incident-cart.svg",
    ]
    text = out.read_text("utf-8")
    assert all(f"(<{path.name}>)" in text for path in files[1:])
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ChaosOpsError, match="exists: name another file"):
        write_postmortem(well(), out)
    (tmp_path / "incident.md").unlink()
    with pytest.raises(ChaosOpsError, match=r"availability\.svg exists"):
        write_postmortem(well(), out)
    assert not out.exists()
    write_postmortem(played, out, force=True)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_beside_a_recording_it_takes_a_name_that_is_free(tmp_path: Path) -> None:
    recording = tmp_path / "game.jsonl.gz"
    names = [write_beside(well(), recording).name for _ in range(2)]
    assert names == ["game-postmortem.md", "game-postmortem-2.md"]


def test_a_folder_that_is_not_there_is_an_error_with_a_cure(tmp_path: Path) -> None:
    with pytest.raises(ChaosOpsError, match="name another file"):
        write_postmortem(well(), tmp_path / "none" / "x.md")


def test_the_same_game_gives_the_same_document() -> None:
    again = game.__wrapped__("site-turns-users-away", 1, "heuristic")
    assert document(badly(), {}) == document(again, {})


def test_a_chain_is_told_with_both_causes_and_what_ended_each() -> None:
    made = revival(lesson="Make room first.")
    result = run_episode(ChaosOpsEnvironment(), made, dict.fromkeys(TURN_ORDER, expert_policy(1)))
    played = well()._replace(steps=result.steps, last=None, scenario=made)
    (followed,) = played.followed
    assert followed.minute is not None
    assert [place for _, place in played.causes] == ["catalog", "catalog"]
    text = document(played, {})
    assert "Reconnect herd at catalog followed from " in text
    assert "**What followed.** reconnect herd at catalog" in text
    assert "**The lesson of both.** Make room first." in text
    assert [mark.minute for mark in marks_of(played) if mark.label == "F"] == [
        made.incident.faults[0].starts,
        followed.minute,
    ]
    prevention = {item.text for item in action_items(played) if item.aim is Aim.PREVENTION}
    assert len(prevention) >= 3


def test_what_never_followed_is_not_counted_as_a_cause() -> None:
    made = revival()
    game_of = Play(made)
    game_of.pass_(6)
    view = game_of.seen
    action = ChaosOpsAction(role=view.turn_role, action_type=ActionType.NOOP)
    step = well().steps[0]._replace(role=view.turn_role, observation=view, action=action)
    played = well()._replace(steps=(step,), last=None, scenario=made)
    assert [fault.id for fault, _ in played.faults] == ["zone_outage"]
    assert len(played.causes) == 1
    assert "**What could have followed.**" in document(played, {})


def test_status_updates_stand_in_the_timeline() -> None:
    found = [event for event in events(badly()) if event.kind is EventKind.UPDATE]
    sent = badly().views[-1].updates or ()
    assert [event.text for event in found] == [update_words(each) for each in sent]
    assert sent
    content = UpdateContent("edge", 5, Trend.RISING, CauseFamily.NOT_KNOWN, "", NextStep.FIX)
    assert update_words(StatusUpdate(11, 8, content, True)) == (
        "5 % of requests at edge fail, rising; cause: not known; next: fix"
    )
    assert update_words(StatusUpdate(11, 8, content, False)).endswith("by the figures)")


def test_a_move_that_was_approved_takes_effect_later_and_one_that_was_not_never() -> None:
    played = game("checkout-times-out", 14, "expert")
    cure = next(order for order in orders(played) if order.words == "failover db")
    approval = next(
        event
        for event in events(played)
        if event.kind is EventKind.APPROVAL and "failover db" in event.text
    )
    assert cure.ordered < approval.minute < (cure.lands or 0)
    assert cure.judgement is Judgement.FIXED
    assert "failover db, asked for by SRE" in approval.text
    asked = [
        step._replace(action=ChaosOpsAction(role=step.role, action_type=ActionType.NOOP))
        if step.action.action_type is ActionType.APPROVE
        else step
        for step in played.steps
    ]
    alone = next(
        order
        for order in orders(played._replace(steps=tuple(asked)))
        if order.words == "failover db"
    )
    assert alone.judgement is Judgement.NOT_APPROVED
    assert alone.lands is None


@pytest.mark.parametrize("seed", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_every_wrong_fix_that_was_paid_for_is_found(seed: int) -> None:
    played = game("checkout-times-out", seed, "random")
    paid = [p for p in played.views[-1].paid or () if p.component == "wrong_fix_penalty"]
    wrong = [order for order in orders(played) if order.judgement is Judgement.WRONG]
    assert paid
    assert len(wrong) == len(paid)


def test_a_line_that_is_said_with_an_action_is_an_event_of_its_own() -> None:
    said = [
        ({"finding": 0, "to": "all"}, EventKind.SHARE),
        ({"text": "on it", "to": "all"}, EventKind.MESSAGE),
    ]
    for line, kind in said:
        action = ChaosOpsAction(
            role=AgentRole.SRE, action_type=ActionType.RESTART, target="db", args={"say": line}
        )
        played = replace_action(well(), action)
        now = [event for event in events(played) if event.minute == 0 and event.role is not None]
        assert [event.kind for event in now] == [kind, EventKind.ORDER]
        assert now[1].text == "restart db"
        assert "restart" not in now[0].text
        assert orders(played)[0].words == "restart db"
