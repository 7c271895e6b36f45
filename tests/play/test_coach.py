"""The coach says only what is true of the game, whatever the player does."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.policies import Policy, expert_policy, random_policy, steady_policy
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Difficulty,
    Source,
)
from chaosops.env.models.verbs import FIXES
from chaosops.play.action_form.suggestions import offers_of
from chaosops.play.coach import GOALS, Advice, advise, is_guided, lesson_of
from chaosops.play.coach.evidence import open_question
from chaosops.play.coach.tutorial import tutorial
from chaosops.play.counterfactuals import hindsight
from tests.worlds import SRE, built_in, scenario

LESSONS = [source.id for source in built_in() if source.level is Difficulty.TUTORIAL]
FIRST, LOGS, COLD, LEAK, SHARD, DELETED, RESTARTED = LESSONS
A = ActionType


class Coached:
    """A game with a coach in one seat, beside steady teammates."""

    def __init__(self, lesson: str, seed: int = 0, role: AgentRole = SRE) -> None:
        self._played = scenario(lesson, seed)
        self.stepper = Stepper(ChaosOpsEnvironment(), self._played)
        self._expert, self._mate = expert_policy(seed), steady_policy(seed)
        self.role = role
        self.people: list[int] = []
        self._to_person()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.stepper.done

    @property
    def observation(self) -> ChaosOpsObservation:
        """What the player sees."""
        return self.stepper.observation

    def advice(self, *, on_screen: bool = True) -> Advice:
        """What the coach says now."""
        return advise(
            self.stepper.observation,
            self.stepper.steps,
            self._expert,
            offers_of(self._played),
            guided=is_guided(self._played),
            lesson=lesson_of(self._played),
            on_screen=on_screen,
        )

    def take(self, action: ChaosOpsAction | None) -> None:
        """Take the player's turn, and those of the others after it."""
        assert action is not None
        self.people.append(len(self.stepper.steps))
        self.stepper.take(action)
        self._to_person()

    def do(self, verb: ActionType, target: str | None = None, **args: object) -> None:
        """Take the player's turn."""
        self.take(ChaosOpsAction(self.role, verb, target, args))

    def follow(self) -> list[Advice]:
        """Do what the coach advises until the game is over, and return what it said."""
        said = []
        while not self.over:
            said.append(self.advice())
            self.take(said[-1].action)
        return said

    def costs(self) -> Sequence[float]:
        """What the debrief says that each of the player's turns cost."""
        found = hindsight(self._played, self.stepper.steps, self.people, lambda _: True)
        assert found is not None
        return [cost.lost for cost in found.costs]

    def _to_person(self) -> None:
        while not self.stepper.done and self.stepper.role is not self.role:
            self.stepper.take(self._mate(self.stepper.observation, self.stepper.role))


def contradictions(stepper: Stepper, advice: Advice) -> list[str]:
    """What the advice says that the view contradicts."""
    view, action = stepper.observation.view, advice.action
    status = view.status
    text = f"{advice.opening} {advice.text}"
    is_well = status.users_ok >= status.slo
    found = []
    assert action is not None
    verb = ActionType(action.action_type)
    offered = {choice.action_type: choice for choice in view.allowed}
    choice = offered.get(verb)
    if choice is None or (choice.targets and action.target not in choice.targets):
        found.append("an action that the role can't take")
    if verb in FIXES and any(
        (item.action_type, item.target) == (verb, action.target) for item in view.in_flight
    ):
        found.append("a fix that is in flight already")
    if verb is A.INVESTIGATE and any(
        (one.source.value, one.target) == (action.args["source"], action.target)
        and one.minute >= status.minute - 4
        for one in view.findings
    ):
        found.append("a look that was just taken")
    if ("Pass (0)" in text) is not (verb is A.NOOP):
        found.append("a pass beside something to do")
    if verb is A.NOOP and open_question(view) is not None:
        found.append("a pass while a teammate waits for an answer")
    if "in flight" in text and not view.in_flight:
        found.append("actions in flight, and there are none")
    if "Users get errors" in text and is_well:
        found.append("errors, and users are well")
    if "users are fine" in text.lower() and not is_well:
        found.append("that users are fine, and they are not")
    if "Users are well" in text and not is_well:
        found.append("that users are well, and they are not")
    if verb is A.COMMUNICATE and action.args.get("finding") is not None:
        shared = view.findings[action.args["finding"]]
        if any(said.finding == shared for said in view.channel):
            found.append("a finding to share that was shared")
    if "did not help" in text and not view.landed:
        found.append("a fix that failed, and none landed")
    if "You named" in text and not view.diagnoses:
        found.append("a diagnosis, and there is none")
    if "owed an update" in text and view.due is None:
        found.append("an update, and none is due")
    if "A move waits" in text and not view.requests:
        found.append("a move that waits, and none does")
    goals = dict(zip(GOALS, advice.reached, strict=True))
    if goals["look"] and not (view.findings or any(said.finding for said in view.channel)):
        found.append("that somebody looked, and nobody did")
    if goals["over"] and (not is_well or status.held < status.hold):
        found.append("that it is over, and it is not")
    if "?" in advice.keys or "" in advice.keys:
        found.append("keys that do nothing")
    return found


@pytest.mark.few(1)
@pytest.mark.parametrize("lesson", LESSONS)
@settings(max_examples=6)
@given(seed=st.integers(0, 10_000), role=st.sampled_from(TURN_ORDER), sense=st.integers(0, 3))
def test_no_advice_contradicts_the_state_over_random_play(
    lesson: str, seed: int, role: AgentRole, sense: int
) -> None:
    """The player does what the coach says in `sense` of four turns, and anything in the others."""
    game, dice = Coached(lesson, seed % 50, role), random_policy(seed)
    while not game.over:
        told = game.advice()
        assert not contradictions(game.stepper, told), told.text
        follows = len(game.people) % 4 < sense
        game.take(told.action if follows else dice(game.observation, role))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_is_resolved_by_the_advice_alone_beside_steady_teammates(
    lesson: str, seed: int
) -> None:
    game = Coached(lesson, seed)
    said = game.follow()
    assert game.stepper.result().resolved
    assert len(said) <= 7


@pytest.mark.few(2)
@pytest.mark.parametrize("lesson", LESSONS)
def test_the_debrief_charges_nothing_to_who_follows_the_coach(lesson: str) -> None:
    game = Coached(lesson)
    game.follow()
    assert max(game.costs(), default=0.0) < 0.5


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_first_advice_is_a_look_by_source_and_service_and_says_how_it_is_read(
    lesson: str,
) -> None:
    advice = Coached(lesson).advice()
    assert advice.action is not None
    assert advice.action.action_type is A.INVESTIGATE
    source, target = advice.action.args["source"], advice.action.target
    assert f"Look at the {source} of {target}." in advice.text
    assert "Esc leads back" in advice.text
    if lesson in (FIRST, LOGS):
        assert advice.keys[0] == "1"
        assert len(advice.keys) == 3


@pytest.mark.parametrize("lesson", LESSONS)
def test_in_lines_of_text_the_coach_speaks_of_no_key_and_no_mark(lesson: str) -> None:
    game = Coached(lesson)
    told, seen = game.advice(on_screen=False), game.advice()
    assert told.action == seen.action
    for word in ("Esc", "keys", "marked", "◂", "left"):
        assert word not in f"{told.opening} {told.text}"


@pytest.mark.slow
def test_each_incident_introduces_one_instrument_in_words() -> None:
    assert [lesson.id for lesson in tutorial()] == LESSONS
    for lesson in tutorial():
        said = " ".join(told.text for told in Coached(lesson.id).follow())
        assert lesson.read in said
    new = [lesson.instrument for lesson in tutorial()]
    assert {Source.RUNTIME, Source.LOGS, Source.TRACES, Source.METRICS, Source.AUTOMATION} == {*new}


def test_the_first_incident_takes_two_looks_that_tell_two_suspects_apart() -> None:
    for seed in range(3):
        said = Coached(FIRST, seed).follow()
        verbs = [told.action.action_type for told in said if told.action is not None]
        shared, proposed = A.COMMUNICATE, A.COMMUNICATE
        assert verbs == [A.INVESTIGATE, A.INVESTIGATE, A.DIAGNOSE, shared, proposed, A.NOOP]
        assert "Two suspects" in said[1].text
        assert 'Look at the runtime of db. Its part "sessions" shows' in said[1].text
        assert 'part "sessions", shows it' in said[2].text
        assert "Name the cause: db deadlock at catalog." in said[2].text
        assert "propose to Dev to disable the feature of catalog. Db deadlock at catalog is" in (
            said[4].text
        )
        assert all(told.keys for told in said)


def test_a_diagnosis_that_no_reading_supports_counts_for_nothing() -> None:
    game = Coached(FIRST)
    before = game.advice()
    game.do(A.DIAGNOSE, cause="cpu_throttling", stake="certain", place="catalog")
    told = game.advice()
    assert told.action == before.action
    assert "You named cpu throttling, but no reading of the team shows it." in told.text
    assert not dict(zip(GOALS, told.reached, strict=True))["diagnose"]
    game.take(told.action)
    game.take(game.advice().action)
    assert "You named cpu throttling, and the readings show another cause." in game.advice().text
    game.follow()
    assert game.stepper.result().resolved


def test_who_only_hid_the_cause_is_told_so_until_it_is_found() -> None:
    game = Coached(LEAK)
    game.do(A.RESTART, "payments")
    hidden = 0
    while not game.over:
        told = game.advice()
        view = game.observation.view
        if view.status.users_ok >= view.status.slo and not view.diagnoses:
            hidden += 1
            assert "nothing that the team has seen explains the failure" in told.text
            assert told.action is not None
            assert told.action.action_type is A.INVESTIGATE
            assert not told.reached[GOALS.index("over")]
        game.take(told.action)
    assert hidden >= 3
    assert game.stepper.result().resolved


def test_a_fix_that_failed_is_named() -> None:
    game = Coached(LOGS)
    game.do(A.RESTART, "cart")
    assert '"restart cart" did not help' in game.advice().text


def test_a_fix_of_a_part_is_repeated_for_what_it_missed() -> None:
    game = Coached(SHARD)
    game.do(A.INVESTIGATE, "db", source="runtime")
    game.do(A.DRAIN, "db")
    action = game.advice().action
    assert action is not None
    assert (action.action_type, action.target, dict(action.args)) == (
        A.DRAIN,
        "db",
        {"unit": "instance"},
    )


def test_a_restart_before_the_agent_was_paused_is_repeated_after_it() -> None:
    game = Coached(RESTARTED)
    game.do(A.NOOP)
    game.do(A.NOOP)
    game.do(A.RESTART, "payments")
    said = game.follow()
    verbs = [told.action.action_type for told in said if told.action is not None]
    assert verbs.index(A.COMMUNICATE) < verbs.index(A.RESTART)
    assert game.stepper.result().resolved


def test_a_question_of_a_teammate_is_answered_before_anything_else() -> None:
    game = Coached(DELETED)
    for _ in range(3):
        game.take(game.advice().action)
    told = game.advice()
    assert open_question(game.observation.view) is not None
    assert 'Oversight asks: "' in told.text
    assert "propose to Oversight to pause cleanup_job" in told.text
    assert told.keys[0] == "4"


def test_what_was_found_is_shared_once_by_its_number() -> None:
    said = Coached(COLD).follow()
    shares = [told for told in said if told.action is not None and "finding" in told.action.args]
    assert len(shares) == 1
    assert "share finding 1, runtime of cache, with all" in shares[0].text
    assert shares[0].keys[0] == "5"


def test_the_expert_never_gives_a_doubtful_cause_as_its_reason() -> None:
    """In its own seat it trusts a teammate who is certain, and says that."""
    game = Coached(FIRST)
    game.do(A.DIAGNOSE, cause="cpu_throttling", stake="certain", place="catalog")
    expert: Policy = expert_policy(0)
    explain = getattr(expert, "explain", None)
    assert callable(explain)
    action = expert(game.observation, SRE)
    said = explain(game.observation, SRE)
    if action.action_type in FIXES:
        assert "no reading that is known proves it" in said
    assert "(2 % sure)" not in said
