from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.agents.policies import Policy, pass_turn
from chaosops.agents.runner import run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
)
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError
from chaosops.play.formatting import in_words
from chaosops.play.lessons.path import (
    TEAMMATES,
    Lesson,
    LessonMark,
    lesson_named,
    lessons,
    marks,
)
from chaosops.play.lessons.sheet import instructor_sheet, learner_lines
from chaosops.play.reference.book import reference
from chaosops.play.reference.entries import exactly
from tests.recording.games import record, scenario
from tests.sampling import first_of_each

PATH = lessons()
EACH = pytest.mark.parametrize("lesson", PATH, ids=lambda lesson: lesson.id)


def test_ids_differ_and_every_subject_has_its_lesson() -> None:
    assert [lesson.id for lesson in PATH] == [
        "golden-signals",
        "reading-a-trace",
        "twins-of-a-lock",
        "restraint",
        "two-keys",
        "incident-command",
        "catching-a-rogue",
    ]


@EACH
def test_its_incident_draws_the_cause_that_it_teaches(lesson: Lesson) -> None:
    incident = Scenario.load(lesson.scenario, lesson.seed).incident
    assert incident.drawn.cause.id == lesson.cause


@pytest.mark.few(1)
@EACH
def test_what_it_asks_to_look_up_is_in_the_glossary(lesson: Lesson) -> None:
    entries = reference()
    for word in lesson.glossary:
        assert exactly(entries, word), word


@EACH
def test_before_the_game_nothing_says_what_the_cause_is(lesson: Lesson) -> None:
    said = "\n".join(learner_lines(lesson, LessonMark.OPEN)).casefold()
    if in_words(lesson.cause) not in lesson.glossary:
        assert in_words(lesson.cause) not in said
    assert not any(question.ask.casefold() in said for question in lesson.questions)
    after = "\n".join(learner_lines(lesson, LessonMark.PLAYED))
    assert all(question.ask in after for question in lesson.questions)
    assert not any(question.expect in after for question in lesson.questions)


@EACH
def test_the_instructors_sheet_has_the_answers_and_the_way(lesson: Lesson) -> None:
    sheet = instructor_sheet(lesson)
    assert f"**{in_words(lesson.cause)}**" in sheet
    assert all(question.expect in sheet for question in lesson.questions)
    incident = Scenario.load(lesson.scenario, lesson.seed).incident
    assert all(item.text in sheet for item in incident.evidence)
    assert all(move.why in sheet for move in incident.tempting)
    assert lesson.command in sheet


def ask_for(role: AgentRole, verb: ActionType, target: str, **args: str) -> ChaosOpsAction:
    """What a Manager assigns, with the cause that it is meant to end if it is a fix."""
    task: dict[str, object] = {"action_type": verb, "target": target, "args": args}
    if verb is not ActionType.INVESTIGATE:
        task["cause"] = "bad_release"
    return ChaosOpsAction(
        role=AgentRole.MANAGER, action_type=ActionType.ASSIGN, target=role, args={"proposal": task}
    )


def resolve() -> ChaosOpsAction:
    return ChaosOpsAction(role=AgentRole.MANAGER, action_type=ActionType.RESOLVE)


def by_oversight(
    verb: ActionType, target: str | None = "cleanup_job", **args: object
) -> ChaosOpsAction:
    return ChaosOpsAction(role=AgentRole.OVERSIGHT, action_type=verb, target=target, args=args)


_ROLLBACK = ask_for(AgentRole.DEV, ActionType.ROLLBACK, "catalog", change="r3652")
_ESCALATE = {"action_type": "escalate", "target": "auth", "args": {}}
LINES = {
    "restraint": (None, None, resolve()),
    "incident-command": (
        ask_for(AgentRole.DEV, ActionType.INVESTIGATE, "catalog", source="changes"),
        ask_for(AgentRole.SRE, ActionType.INVESTIGATE, "catalog", source="runtime"),
        _ROLLBACK,
        _ROLLBACK,
    ),
    "catching-a-rogue": (
        by_oversight(ActionType.INVESTIGATE, source="automation"),
        by_oversight(ActionType.PAUSE),
        by_oversight(ActionType.FLAG),
        by_oversight(ActionType.COMMUNICATE, None, to="manager", proposal=_ESCALATE),
    ),
}
"""What a learner may do in the seats that lead others; None is a pass."""


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "lesson",
    first_of_each([(each,) for each in PATH], lambda case: case[0].role),
)
def test_a_learner_who_does_it_well_resolves_it_beside_the_usual_teammates(lesson: Lesson) -> None:
    played = Scenario.load(lesson.scenario, lesson.seed)
    policies: dict[AgentRole, Policy | None] = {
        **seat_policies(dict.fromkeys(TURN_ORDER, TEAMMATES), played),
        **seat_policies({lesson.role: "expert"}, played),
    }
    line = list(LINES.get(lesson.id, ()))
    if line:

        def learner(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
            return (line.pop(0) if line else None) or pass_turn(observation, role)

        policies[lesson.role] = learner
    assert run_episode(ChaosOpsEnvironment(), played, policies).resolved
    passive = {**policies, lesson.role: pass_turn}
    assert not run_episode(ChaosOpsEnvironment(), played, passive).resolved


def test_a_lesson_is_found_by_its_id_its_words_and_its_number() -> None:
    for name in ("two-keys", "Two Keys", "two_keys", "5"):
        assert lesson_named(name, PATH).id == "two-keys"


@pytest.mark.parametrize("name", ["twokeys", "0", "8", "", "\x1b[2J", "x" * 9_000])
def test_an_unknown_lesson_is_an_error_with_a_cure(name: str) -> None:
    with pytest.raises(ChaosOpsError, match=r"no lesson .*lessons list"):
        lesson_named(name, PATH)


def like(seed: int, role: AgentRole = AgentRole.SRE) -> Lesson:
    """A lesson on the incident that tests record."""
    return PATH[0].model_copy(update={"scenario": scenario().id, "seed": seed, "role": role})


def test_the_mark_of_a_lesson_is_read_from_the_recordings(tmp_path: Path) -> None:
    assert marks([like(7)], [])[PATH[0].id] is LessonMark.OPEN
    record(tmp_path, turns=3)
    assert marks([like(7)], [tmp_path])[PATH[0].id] is LessonMark.OPEN
    record(tmp_path, policy="noop")
    assert marks([like(7)], [tmp_path])[PATH[0].id] is LessonMark.PLAYED
    record(tmp_path, policy="expert")
    record(tmp_path, policy="noop")
    assert marks([like(7)], [tmp_path])[PATH[0].id] is LessonMark.RESOLVED


def test_another_seed_or_seat_or_a_game_without_a_person_does_not_count(tmp_path: Path) -> None:
    record(tmp_path, policy="expert")
    assert marks([like(8)], [tmp_path])[PATH[0].id] is LessonMark.OPEN
    assert marks([like(7, AgentRole.DEV)], [tmp_path])[PATH[0].id] is LessonMark.OPEN
    other = tmp_path / "other"
    other.mkdir()
    record(other, policy="expert", people=())
    assert marks([like(7)], [other])[PATH[0].id] is LessonMark.OPEN
