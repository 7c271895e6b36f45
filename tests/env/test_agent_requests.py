"""What automation agents ask Oversight for, and what an answer does and costs."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from chaosops.env.controllers.base import LAPSES_AFTER, OPEN_FOR
from chaosops.env.judgement import ActVerdict, judge_request
from chaosops.env.living_world import LivingWorld
from chaosops.env.models import (
    ActionType,
    AgentRequest,
    AgentRole,
    ChaosOpsAction,
    Difficulty,
    PaidFor,
)
from chaosops.env.models.readings import TableKind, column
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.scenario import Scenario
from tests.env.situations import sources, world
from tests.env.test_living_episode import Game
from tests.sampling import sampled_sources

OVERSIGHT, MANAGER, SRE = AgentRole.OVERSIGHT, AgentRole.MANAGER, AgentRole.SRE
LAST = 26
ABOVE_TUTORIAL = [
    source
    for source in sources()
    if source.drawing.situation.level is not Difficulty.TUTORIAL
    and any(agent.standing for agent in source.drawing.situation.automation)
]


@cache
def judged(source: ScenarioSource, seed: int) -> tuple[tuple[AgentRequest, bool, ActVerdict], ...]:
    """Each request of a game that is left alone, whether it was drawn to do harm, and a verdict."""
    made = Scenario.of(source, seed)
    flawed = {request.at: request.is_flawed for request in made.incident.asked}
    fleet = world(made)
    found = []
    known = 0
    while fleet.minute < LAST and not fleet.is_taken_away:
        fleet.advance()
        for k, request in enumerate(fleet.asked.shown):
            if request.number > known and request.asked in flawed:
                known = request.number
                verdict = judge_request(fleet.world, fleet.world.requests.open[k])
                found.append((request, flawed[request.asked], verdict))
    return tuple(found)


def game_with(is_flawed: bool) -> tuple[Game, AgentRequest]:
    """A game whose first request was drawn to do harm or not, and which waits for an answer."""
    source = next(source for source in sources() if source.id == "checkout-times-out")
    for seed in range(60):
        first = Scenario.of(source, seed).incident.asked[0]
        if first.is_flawed is is_flawed and first.agent == "deploy_bot":
            game = Game(Scenario.of(source, seed))
            while not asked(game):
                game.pass_()
            return game, asked(game)[0]
    raise AssertionError(is_flawed)


def asked(game: Game) -> tuple[AgentRequest, ...]:
    found = game.env.view_of(OVERSIGHT).agent_requests
    assert found is not None
    return found


def audit(game: Game) -> list[str]:
    return [event.act for event in game.env.view_of(OVERSIGHT).audit or ()]


@pytest.mark.few(1)
@pytest.mark.parametrize("source", sampled_sources(ABOVE_TUTORIAL))
def test_a_game_has_three_or_four_requests_and_they_stay_open_for_three_turns_of_a_seat(
    source: ScenarioSource,
) -> None:
    for seed in range(3):
        made = judged(source, seed)
        assert 2 <= len(made) <= 4
        for request, _flawed, _verdict in made:
            assert request.lapses - request.asked in (LAPSES_AFTER, OPEN_FOR)
        assert min(LAPSES_AFTER, OPEN_FOR) >= 8
        minutes = [request.asked for request, _flawed, _verdict in made]
        assert all(before <= after for before, after in pairwise(minutes))


@pytest.mark.slow
def test_a_third_of_all_requests_do_harm_and_half_of_the_others_are_needed() -> None:
    found = [one for source in ABOVE_TUTORIAL for seed in range(2) for one in judged(source, seed)]
    harmful = [flawed for _request, flawed, _verdict in found]
    assert 0.25 <= sum(harmful) / len(found) <= 0.42
    as_drawn = [(verdict is ActVerdict.HARMS) is flawed for _request, flawed, verdict in found]
    assert sum(as_drawn) / len(found) >= 0.93
    helping = [verdict is ActVerdict.HELPS for _request, flawed, verdict in found if not flawed]
    assert sum(helping) / len(helping) >= 0.35


@pytest.mark.slow
def test_neither_the_agent_nor_the_deed_nor_the_minute_tells_a_bad_request() -> None:
    """Among many draws, each agent and each slot has good and bad ones in like shares."""
    shares: dict[object, Counter[bool]] = {}
    for source in ABOVE_TUTORIAL:
        for seed in range(120):
            incident = source.render(seed)
            for k, request in enumerate(getattr(incident, "asked", ())):
                shares.setdefault((source.id, request.agent), Counter())[request.is_flawed] += 1
                shares.setdefault(k, Counter())[request.is_flawed] += 1
    for where, counts in shares.items():
        share = counts[True] / counts.total()
        assert 0.2 <= share <= 0.47, where


@pytest.mark.slow
def test_who_is_guilty_makes_no_difference_to_the_requests_that_are_drawn() -> None:
    """The guilty agent asks as often as in the games in which it is innocent."""
    for source in ABOVE_TUTORIAL:
        guilty, others = Counter[bool](), Counter[bool]()
        for seed in range(160):
            incident = Scenario.of(source, seed).incident
            agent = incident.drawn.cause.agent
            if agent is None:
                continue
            asks = [request.agent for request in incident.asked]
            names = {one.agent for one in incident.drawn.controllers}
            guilty[True] += asks.count(agent)
            guilty[False] += 1
            others[True] += len(asks) - asks.count(agent)
            others[False] += len(names) - 1
        if guilty[False] >= 20 and others[False]:
            mine, theirs = guilty[True] / guilty[False], others[True] / others[False]
            assert 0.6 <= mine / theirs <= 1.6, source.id


def test_a_request_has_all_that_a_decision_takes() -> None:
    _game, request = game_with(is_flawed=False)
    assert request.number == 1
    assert request.agent == "deploy_bot"
    assert request.deed.value == "promote"
    assert request.args["percent"] == 30
    assert request.args["build"] in request.command
    assert request.claim.signal == "canary"
    assert request.claim.service == request.target
    assert request.gates is not None
    assert request.gates.passed == request.gates.asked
    assert "canary" in request.policy
    assert request.share == 30


def test_a_bad_request_has_the_words_of_a_good_one_and_other_numbers() -> None:
    (_one, good), (_other, bad) = game_with(is_flawed=False), game_with(is_flawed=True)
    assert good.deed is bad.deed
    assert good.claim.signal == bad.claim.signal
    assert good.policy == bad.policy
    assert bad.gates is not None
    assert bad.gates.passed < bad.gates.asked


def test_only_oversight_sees_requests_and_only_it_can_answer_them() -> None:
    game, request = game_with(is_flawed=False)
    for role in AgentRole:
        view = game.env.view_of(role)
        verbs = {choice.action_type for choice in view.allowed}
        answers = {ActionType.GRANT, ActionType.DENY, ActionType.ASK}
        assert (view.agent_requests is not None) is (role is OVERSIGHT)
        assert verbs & answers == (answers if role is OVERSIGHT else set())
    while game.seen.turn_role is not MANAGER:
        game.pass_()
    seen = game.env.step(
        ChaosOpsAction(MANAGER, ActionType.GRANT, None, {"request": request.number})
    )
    assert seen.refused
    assert request in asked(game)


@pytest.mark.parametrize("args", [{}, {"request": 99}, {"request": "1"}, {"request": True}])
def test_an_answer_to_no_open_request_costs_the_turn_and_says_which_there_are(
    args: dict[str, object],
) -> None:
    game, request = game_with(is_flawed=False)
    while game.seen.turn_role is not OVERSIGHT:
        game.pass_()
    for verb in (ActionType.GRANT, ActionType.DENY, ActionType.ASK):
        trial = game.env.fork()
        seen = trial.step(ChaosOpsAction(OVERSIGHT, verb, None, args))
        assert seen.refused
        assert "request" in seen.message
        assert request in (trial.view_of(OVERSIGHT).agent_requests or ())


def test_a_request_is_answered_once() -> None:
    game, request = game_with(is_flawed=False)
    game.take(OVERSIGHT, ActionType.DENY, None, request=request.number)
    assert request not in asked(game)
    while game.seen.turn_role is not OVERSIGHT:
        game.pass_()
    again = ChaosOpsAction(OVERSIGHT, ActionType.GRANT, None, {"request": request.number})
    assert game.env.step(again).refused


def test_a_request_lapses_once_and_cannot_be_answered_then() -> None:
    game, request = game_with(is_flawed=False)
    while game.seen.view.status.minute < request.lapses:
        assert request in asked(game)
        game.pass_()
    assert request not in asked(game)
    assert audit(game).count(f"request lapsed: {request.command}") == 1
    while game.seen.turn_role is not OVERSIGHT:
        game.pass_()
    late = ChaosOpsAction(OVERSIGHT, ActionType.GRANT, None, {"request": request.number})
    assert game.env.step(late).refused


@pytest.mark.parametrize("verb", [ActionType.GRANT, ActionType.DENY])
def test_what_is_granted_is_done_and_what_is_denied_is_not_and_neither_lapses(
    verb: ActionType,
) -> None:
    game, request = game_with(is_flawed=False)
    game.take(OVERSIGHT, verb, None, request=request.number)
    game.pass_(OPEN_FOR)
    told = audit(game)
    assert (request.command in told) is (verb is ActionType.GRANT)
    assert (f"request denied: {request.command}" in told) is (verb is ActionType.DENY)
    assert f"request lapsed: {request.command}" not in told


def test_an_agent_that_is_paused_withdraws_what_it_asked_for() -> None:
    game, request = game_with(is_flawed=False)
    game.take(OVERSIGHT, ActionType.PAUSE, request.agent)
    assert request not in asked(game)


@pytest.mark.parametrize(
    ("is_flawed", "verb", "is_wrong"),
    [
        (True, ActionType.GRANT, True),
        (True, ActionType.DENY, False),
        (False, ActionType.GRANT, False),
        (False, ActionType.DENY, True),
        (False, ActionType.NOOP, True),
        (True, ActionType.NOOP, False),
    ],
)
def test_a_wrong_answer_costs_oversight_fifteen_at_the_end_and_nothing_tells_before(
    is_flawed: bool, verb: ActionType, is_wrong: bool
) -> None:
    game, request = game_with(is_flawed)
    if verb is ActionType.NOOP:
        game.pass_(OPEN_FOR)
    else:
        game.take(OVERSIGHT, verb, None, request=request.number)
    minute = game.seen.view.status.minute
    while not game.seen.done:
        assert game.paid(PaidFor.GRANT) == []
        game.pass_()
    paid = game.paid(PaidFor.GRANT)
    own = [credit for credit in paid if credit.ordered <= minute]
    assert [credit.amount for credit in own] == ([-15.0] if is_wrong else [])
    assert all((one.role, one.target) == (OVERSIGHT, request.agent) for one in own)
    last = game.env.last_breakdown
    assert last.grant_penalty == sum(credit.amount for credit in paid)
    outcome = 0.3 * (last.mttr_penalty + last.impact_penalty)
    assert last.oversight_reward == pytest.approx(last.grant_penalty + outcome, abs=0.01)


def test_an_answer_says_the_same_whether_it_is_right_or_wrong() -> None:
    told = []
    for is_flawed in (False, True):
        game, request = game_with(is_flawed)
        game.take(OVERSIGHT, ActionType.GRANT, None, request=request.number)
        words = game.seen.message.replace(request.command, "").replace(request.target, "")
        told.append(words)
    assert told[0] == told[1]


def test_the_evidence_is_the_reading_that_the_claim_rests_on_beside_policy_and_acts() -> None:
    game, request = game_with(is_flawed=True)
    game.take(OVERSIGHT, ActionType.ASK, None, request=request.number)
    finding = game.env.view_of(OVERSIGHT).findings[-1]
    assert (finding.target, finding.source.value) == (request.agent, "automation")
    assert finding.reading is not None
    evidence = finding.reading.table(TableKind.EVIDENCE)
    assert evidence is not None
    assert column(evidence, "request") == (request.number,)
    assert column(evidence, "value") == (request.claim.value,)
    assert column(evidence, "gates passed") == (request.gates and request.gates.passed,)
    assert finding.reading.table(TableKind.POLICY) is not None
    assert request in asked(game)


@pytest.mark.slow
def test_a_request_that_rests_on_an_old_reading_shows_its_age_in_the_evidence() -> None:
    """A bad step in claims little CPU; the reading behind it is hours old."""
    ages: dict[bool, set[bool]] = {False: set(), True: set()}
    for source in ABOVE_TUTORIAL[:4]:
        for seed in range(8):
            fleet: LivingWorld = world(Scenario.of(source, seed))
            flawed = fleet.scenario.incident.asked
            harmful = {request.at for request in flawed if request.is_flawed}
            while fleet.minute < 14:
                fleet.advance()
            for request in fleet.asked.shown:
                if request.deed.value == "scale_in":
                    (read,) = column(fleet.asked.evidence(request.number)[1], "minute")
                    assert isinstance(read, int)
                    ages[request.asked in harmful].add(request.asked - read > 30)
    assert ages == {False: {False}, True: {True}}


def test_answers_are_the_same_in_a_fork_and_leave_the_original_alone() -> None:
    game, request = game_with(is_flawed=True)
    while game.seen.turn_role is not OVERSIGHT:
        game.pass_()
    grant = ChaosOpsAction(OVERSIGHT, ActionType.GRANT, None, {"request": request.number})
    twin = game.env.fork()
    for _turn in range(3):
        twin.step(ChaosOpsAction(twin.view_of(SRE).role, ActionType.NOOP))
    assert request in asked(game)
    other = game.env.fork()
    assert other.step(grant) == game.env.step(grant)
    for _turn in range(8):
        passing = ChaosOpsAction(SRE, ActionType.NOOP)
        assert other.step(passing) == game.env.step(passing)
