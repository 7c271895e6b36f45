"""A shift goes from incident to incident, and is saved after every step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chaosops.env.models import AgentRole, Difficulty
from chaosops.errors import ChaosOpsError, RecordingError
from chaosops.evaluation.proven_seeds import ProvenSeedsError, shipped_seeds
from chaosops.play.shifts.codes import ShiftCodeError, ShiftPlan, code_of, plan_of
from chaosops.play.shifts.files import ShiftFileError, kept_shifts, read_shift
from chaosops.play.shifts.results import ShiftResult
from chaosops.play.shifts.shift import SHARE, Shift, command_of
from chaosops.play.shifts.words import between, end_of, opening_line, seat_lines, shift_share
from chaosops.recording.reader import read_recording
from chaosops.recording.verify import verify
from chaosops.scenarios.carryover import Improvement
from tests.disk import Disk
from tests.play.shifts.shifts import PLAN, begin, new_shift, play

HEADROOM = Improvement.HEADROOM


def result(budget: int = 70, *, resolved: bool = True) -> ShiftResult:
    """A result that was not played."""
    return ShiftResult(
        recording="",
        resolved=resolved,
        minutes=20,
        score=50.0,
        budget=budget,
        stars={AgentRole.SRE: ("users", "clean")},
        glyphs="○○●·",
    )


def edited(path: Path, **changes: Any) -> None:
    data = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**data, **changes}), "utf-8")


def test_a_new_shift_begins_with_all_of_its_budget(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    scenario = shift.scenario()
    assert (shift.number, shift.state.budget, shift.state.must_choose) == (0, 100, False)
    assert scenario.carryover is not None
    assert (scenario.carryover.budget, scenario.carryover.worth) == (100, 3 * SHARE)
    assert "incident 1 of 3, 100 % of the budget left" in opening_line(shift)


@pytest.mark.slow
def test_a_whole_shift_is_played_with_one_budget_and_a_choice_between_two_incidents(
    tmp_path: Path,
) -> None:
    shift = new_shift(tmp_path)
    budgets = [100]
    for number in range(3):
        if number:
            assert shift.state.must_choose
            assert between(shift).next_page.number == number + 1
            shift.choose(tuple(Improvement)[number])
        done = play(shift)
        budgets.append(done.budget)
        path = tmp_path / done.recording
        header = read_recording(path).header
        assert header.carryover is not None
        assert header.carryover.budget == budgets[number]
        expected = tuple(Improvement)[number] if number else None
        assert header.carryover.improvement is expected
        assert verify(path).ok
    assert budgets == sorted(budgets, reverse=True)
    assert shift.state.is_over
    assert len(list(tmp_path.glob("*.jsonl"))) == 3
    end = end_of(shift)
    assert end.headline.startswith("The shift is over, with")
    assert end.code == code_of(PLAN, shipped_seeds())
    assert plan_of(end.code, shipped_seeds()) == PLAN
    assert [seat.role for seat in end.ratings] == [AgentRole.SRE]
    assert end.share == shift_share(read_shift(shift.path))


def test_what_was_left_is_continued_in_its_middle_and_comes_out_the_same(tmp_path: Path) -> None:
    whole = play(new_shift(tmp_path / "whole"))
    shift = new_shift(tmp_path / "parts")
    begin(shift, turns=9)
    again = Shift.reopened(shift.path)
    resumed = again.take_up()
    assert resumed is not None
    assert len(resumed.stepper.steps) == 9
    done = play(again, resumed)
    assert done.model_copy(update={"recording": ""}) == whole.model_copy(update={"recording": ""})
    assert Shift.reopened(shift.path).number == 1


def test_an_incident_that_was_finished_elsewhere_counts(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    kept = shift.state
    done = play(shift)
    shift._save(kept.begun(done.recording))
    again = Shift.reopened(shift.path)
    assert again.take_up() is None
    assert again.state.played == (done,)


def test_a_finished_incident_that_only_lacks_its_last_line_counts(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    kept = shift.state
    done = play(shift)
    path = tmp_path / done.recording
    *lines, _footer = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines))
    shift._save(kept.begun(done.recording))
    again = Shift.reopened(shift.path)
    assert again.take_up() is None
    assert again.state.played == (done,)


def test_an_incident_whose_recording_was_removed_starts_over(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    begin(shift, turns=5).unlink()
    again = Shift.reopened(shift.path)
    assert again.take_up() is None
    assert (again.number, again.state.playing) == (0, "")


def test_a_recording_of_another_game_is_not_taken_for_the_incident(tmp_path: Path) -> None:
    other = begin(new_shift(tmp_path, ShiftPlan(Difficulty.EASY, seed=1)), turns=3)
    shift = new_shift(tmp_path)
    edited(shift.path, playing=other.name)
    with pytest.raises(RecordingError, match="is not incident 1 of the shift") as caught:
        Shift.reopened(shift.path).take_up()
    assert "to start this incident over" in str(caught.value)


def test_a_damaged_recording_is_told_with_what_to_do(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    path = begin(shift, turns=6)
    path.write_text(path.read_text("utf-8").replace('"turn":2', '"turn":3', 1), "utf-8")
    with pytest.raises(RecordingError, match=r"or remove .* to start this incident over"):
        Shift.reopened(shift.path).take_up()


def test_a_shift_is_over_as_soon_as_its_budget_is_spent(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    shift.finish(result(0, resolved=False))
    assert shift.state.is_over
    assert not shift.state.must_choose
    headline = end_of(shift).headline
    assert headline == "The error budget was spent in incident 1 of 3; 0 of 3 incidents resolved"


def test_a_seat_is_rated_by_stars_resolved_incidents_and_what_is_left(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    for budget in (80, 60, 40):
        shift.finish(result(budget))
        if shift.state.must_choose:
            shift.choose(HEADROOM)
    (seat,) = end_of(shift).ratings
    assert seat.rating == round(60 * 6 / 9 + 25 + 15 * 0.4)
    assert seat.mean == seat.rating
    second = new_shift(tmp_path)
    second.finish(result(0, resolved=False))
    (seat,) = end_of(second).ratings
    assert seat.rating == round(60 * 2 / 9)
    assert seat.mean == round((71 + 13) / 2)
    states = [kept.state for kept in kept_shifts(tmp_path).shifts]
    assert seat_lines(states) == ("SRE: rated 42 of 100 over the newest 2",)


def test_the_line_to_share_gives_nothing_away(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    shift.finish(result(70))
    line = " · ".join(shift_share(shift.state))
    assert line == (
        f"ChaosOps shift {shift.state.code} · SRE 32 · ○○●· ★☆★ · 1 of 3 resolved · budget 70 %"
    )


def test_the_half_screen_between_two_incidents_tells_cost_lesson_choice_and_next_page(
    tmp_path: Path,
) -> None:
    shift = new_shift(tmp_path)
    shift.finish(result(70))
    told = between(shift)
    assert (told.over, told.incidents) == (1, 3)
    assert "It cost 30 % of the shift's error budget; 70 % is left" in told.cost
    assert told.learned.lesson
    assert [offer.improvement for offer in told.offers] == list(Improvement)
    assert told.next_page.title == shift.plain_scenario(1).title


def test_a_step_is_on_disk_before_the_next_one_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shift = new_shift(tmp_path)
    disk = Disk(monkeypatch)
    shift.finish(result(70))
    assert f"name {shift.path.name}" in disk.events
    assert read_shift(shift.path) == shift.state


def test_a_shift_of_another_version_says_which(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    other = shipped_seeds()._replace(engine=99)
    edited(shift.path, code=code_of(PLAN, other).replace("0.", "7.", 1))
    with pytest.raises(ShiftCodeError, match=r"typo|chaosops 7"):
        Shift.reopened(shift.path)


def test_incidents_that_were_changed_since_they_were_proven_are_refused(tmp_path: Path) -> None:
    proven = shipped_seeds()
    stale = proven._replace(
        situations={name: one._replace(content="0" * 16) for name, one in proven.situations.items()}
    )
    shift = Shift.new(PLAN, new_shift(tmp_path).state.setup, tmp_path, stale)
    with pytest.raises(ProvenSeedsError, match="another version of it: install chaosops again"):
        shift.scenario()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"incidents": 8}, "incidents: 8, but its code stands for 3"),
        ({"incidents": 300}, "incidents: input should be less than or equal to 8"),
        ({"budget": 100}, "budget: extra inputs are not permitted"),
        ({"choices": ["headroom"]}, "choices: 0 to 0 were made so far, not 1"),
        ({"choices": ["more_money"]}, "choices.0: input should be"),
        ({"seats": {"sre": "you"}}, "seats: name each of sre, oversight, dev, manager"),
        ({"playing": "../../etc/passwd"}, "playing: string should match"),
        ({"started_at_ms": "yesterday"}, "started_at_ms: input should be a valid integer"),
        ({"played": {}}, "played: input should be a valid"),
    ],
)
def test_a_file_that_was_edited_by_hand_is_told_where_it_is_wrong(
    changes: dict[str, Any], told: str, tmp_path: Path
) -> None:
    shift = new_shift(tmp_path)
    edited(shift.path, **changes)
    before = shift.path.read_bytes()
    with pytest.raises(ChaosOpsError) as caught:
        Shift.reopened(shift.path)
    said = str(caught.value)
    assert told in said
    assert str(shift.path) in said
    assert "\n" not in said
    assert "correct it, or remove the file" in said
    assert shift.path.read_bytes() == before


def test_a_seat_that_nobody_can_take_is_named(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    edited(shift.path, seats={**shift.state.model_dump()["seats"], "dev": "you and me"})
    with pytest.raises(ShiftFileError, match=r"seats\.dev: 'you and me' can't take a seat"):
        Shift.reopened(shift.path)


def test_a_budget_can_not_grow_by_hand(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    shift.finish(result(30))
    shift.choose(HEADROOM)
    played = [json.loads(result(left).model_dump_json()) for left in (30, 31)]
    edited(shift.path, played=played)
    with pytest.raises(ShiftFileError, match=r"played\.1\.budget: at most 30 was left before it"):
        Shift.reopened(shift.path)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", ":1: it is not JSON"),
        (b'{"format": 1,\n "code": ', ":2: it is not JSON"),
        (b'"\xff"', "it is not JSON text in UTF-8"),
        (b"[1, 2]", "input should be an object"),
        (b"[" * 100_000, "it is not JSON"),
        (b'{"format": 2}', "format 2, and this reads 1"),
    ],
)
def test_a_file_that_is_no_shift_is_told_in_one_line(
    text: bytes, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "shift.json"
    path.write_bytes(text)
    with pytest.raises(ShiftFileError) as caught:
        read_shift(path)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_broken_files_do_not_keep_the_others_from_being_found(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    (shift.path.parent / "broken.json").write_text("{", "utf-8")
    kept = kept_shifts(tmp_path)
    assert [one.path for one in kept.shifts] == [shift.path]
    assert kept.unfinished is not None
    assert len(kept.troubles) == 1


def test_the_command_that_continues_it_names_its_folder(tmp_path: Path) -> None:
    shift = new_shift(tmp_path)
    command = command_of(shift, plain=True)
    assert command == f"chaosops shift {shift.state.code} --recordings {tmp_path} --plain"
