"""What a scripted teammate does on request: what the evidence supports, and little else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from chaosops.agents.belief import beliefs
from chaosops.agents.expert import Expert
from chaosops.agents.runbook import RUNBOOK
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.agents.weighing import ProposalVerdict, unfinished, weigh
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    EMPTY,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Diagnosis,
    FailureType,
    Finding,
    FrozenMap,
    Health,
    Impact,
    InFlight,
    LastAction,
    Message,
    Proposal,
    RoleView,
    Sign,
    Source,
)
from chaosops.env.models.roles import ROLES
from chaosops.env.models.verbs import FIXES
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.schema import Move
from tests.worlds import (
    DEV,
    INNOCENT,
    LOCKS,
    MANAGER,
    OVERSIGHT,
    ROGUE,
    SRE,
    hand_made,
    move,
    play,
    scenario,
    view_of,
)

SEEDS = range(5)
TEMPTING = (
    "paying-ends-in-an-error",
    "slow-then-errors",
    "site-turns-users-away",
    "sign-in-form-rejects-some",
    "search-p99-high",
    "pages-stall-now-and-then",
    "dashboards-fail-to-load",
    "errors-come-and-go",
)
SOLVED = (
    "slow-then-errors",
    "errors-across-teams",
    "sign-in-form-rejects-some",
    "paying-ends-in-an-error",
    "three-in-a-hundred-fail",
    "errors-come-and-go",
)
LOOKED_INTO = (
    "slow-then-errors",
    "site-errors-above-limit",
    "paying-ends-in-an-error",
    "sign-in-form-rejects-some",
    "search-p99-high",
    "dashboards-fail-to-load",
    "pages-stall-now-and-then",
)
_PASS = ActionType.NOOP
MILD = {**LOCKS, "effects": [{"service": "db", "parameter": "errors", "value": 0.0005}]}
_NO_ANSWER = {"source": "logs", "at": "cart", "text": "it waits", "signs": ["slow_dependency"]}


class _Asked(NamedTuple):
    """A request, and what its receiver did with its turns after it."""

    verb: ActionType
    target: str | None
    answers: list[EpisodeStep]

    @property
    def is_done(self) -> bool:
        """Whether the receiver did it."""
        return any(
            (frame.action.action_type, frame.action.target) == (self.verb, self.target)
            for frame in self.answers
        )

    @property
    def is_declined(self) -> bool:
        """Whether the receiver said no, whatever it did later."""
        said = (str(frame.action.args.get("text")) for frame in self.answers)
        return any(text.startswith("I would rather not") for text in said)

    @property
    def words(self) -> str:
        """The first answer."""
        return str(self.answers[0].action.args["text"])


def _ask(
    stepper: Stepper,
    receiver: AgentRole,
    proposal: Mapping[str, Any],
    *,
    turns: int,
    others_play: bool = False,
) -> _Asked:
    """The Manager assigns that in its next turn; the receiver is scripted."""
    expert = Expert(0)
    asked = _Asked(ActionType(proposal["action_type"]), proposal.get("target"), [])
    said = False
    while not stepper.done and len(asked.answers) < turns:
        role = stepper.role
        action = ChaosOpsAction(role, _PASS)
        if role is MANAGER and not said:
            said = True
            action = ChaosOpsAction(role, "assign", receiver.value, {"proposal": dict(proposal)})
        elif role is not MANAGER and (others_play or (said and role is receiver)):
            action = expert(stepper.observation, role)
        frame = stepper.take(action)
        assert frame.breakdown.miscommunication_penalty == 0.0, frame.message
        if said and role is receiver:
            asked.answers.append(frame)
    return asked


def _start(played: Scenario) -> Stepper:
    return Stepper(ChaosOpsEnvironment(), played)


def _proposal(move: Move) -> dict[str, Any]:
    proposal: dict[str, Any] = {"action_type": move.action.value, "args": move.arguments()}
    return proposal if move.target is None else {**proposal, "target": move.target}


def _tempted(manager_turn: int) -> Iterator[_Asked]:
    """Every tempting move of some incidents, asked of each role that could do it."""
    for name in TEMPTING:
        for seed in SEEDS:
            played = scenario(name, seed)
            for wrong in played.incident.tempting:
                for receiver in (SRE, DEV):
                    if wrong.action not in ROLES[receiver].verbs:
                        continue
                    stepper = _start(played)
                    expert = Expert(seed)
                    while not stepper.done and len(stepper.steps) < 4 * manager_turn - 1:
                        role = stepper.role
                        passes = ChaosOpsAction(role, _PASS)
                        stepper.take(
                            passes if role is MANAGER else expert(stepper.observation, role)
                        )
                    asked = _ask(stepper, receiver, _proposal(wrong), turns=4, others_play=True)
                    if asked.answers:
                        yield asked


@pytest.mark.proof
@pytest.mark.parametrize(("manager_turn", "at_most"), [(1, 0.10), (3, 0.08)])
def test_few_tempting_moves_are_done_because_somebody_asks(
    manager_turn: int, at_most: float
) -> None:
    asked = list(_tempted(manager_turn))
    assert len(asked) > 100
    assert sum(request.is_done for request in asked) / len(asked) < at_most


def _right(name: str) -> Iterator[_Asked]:
    """Each move that ends a fault, asked for after three rounds in which the team only looks."""
    for seed in SEEDS:
        played = scenario(name, seed)
        cures = [cure for fault in played.incident.faults for cure in fault.clears]
        for cure in cures:
            for receiver in (SRE, DEV):
                if cure.action in ROLES[receiver].verbs:
                    stepper = _start(played)
                    while len(stepper.steps) < 15:
                        action = Expert(seed)(stepper.observation, stepper.role)
                        holds_back = action.action_type in FIXES or "proposal" in action.args
                        stepper.take(ChaosOpsAction(stepper.role, _PASS) if holds_back else action)
                    yield _ask(stepper, receiver, _proposal(cure), turns=4)


@pytest.mark.proof
def test_most_moves_that_end_a_fault_are_done_after_three_rounds_of_looking() -> None:
    asked = [request for name in LOOKED_INTO for request in _right(name)]
    followed = [request.is_done and not request.is_declined for request in asked]
    assert sum(followed) / len(asked) >= 2 / 3


@pytest.mark.parametrize("name", SOLVED)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_of_the_solution_is_done_once_the_finding_that_settles_it_is_shared(
    name: str, seed: int
) -> None:
    played = scenario(name, seed)
    steps = [
        step
        for step in played.incident.solution
        if step.role in (SRE, DEV) and step.action is not ActionType.DIAGNOSE
    ]
    assert steps
    for step in steps:
        stepper = _start(played)
        _share_what_settles(stepper, step)
        asked = _ask(stepper, step.role, _proposal(step), turns=3)
        assert asked.is_done, asked.answers


def _share_what_settles(stepper: Stepper, step: Move) -> None:
    """Whoever can look where the answer is does so, and tells all."""
    settling = {
        sign
        for entry in RUNBOOK.values()
        if any(fix.verb is step.action for fix in entry.fixes)
        for sign in entry.settled_by
    }
    evidence = stepper.scenario.incident.evidence
    found = [item for item in evidence if settling.intersection(item.signs)]
    look = min(found, key=lambda item: item.at != step.target)
    finder = next(
        role
        for role in (SRE, DEV, OVERSIGHT)
        if look.source in ROLES[role].sources and look.seen_by in (None, role)
    )
    for verb, target, args in (
        ("investigate", look.at, {"source": look.source.value}),
        ("communicate", None, {"to": "all", "text": "look at this", "finding": 0}),
    ):
        view_of(stepper, finder)
        stepper.take(ChaosOpsAction(finder, verb, target, args))


@pytest.mark.parametrize(
    ("verb", "args"), [("restart", {}), ("scale", {"replicas": 5}), ("drain", {})]
)
def test_nothing_is_changed_while_users_are_well(verb: str, args: dict[str, Any]) -> None:
    proposal = {"action_type": verb, "target": "queries", "args": args}
    asked = _ask(_start(scenario("site-turns-users-away")), SRE, proposal, turns=3)
    assert asked.words.endswith("users are well, and a change could end that")
    assert not asked.is_done


def test_what_is_proven_is_ended_even_while_users_are_well() -> None:
    stepper = _start(hand_made(faults=[MILD]))
    _share_what_settles(stepper, Move(action=ActionType.TERMINATE, target="db"))
    asked = _ask(stepper, SRE, {"action_type": "terminate", "target": "db"}, turns=1)
    assert stepper.observation.view.status.users_ok >= stepper.observation.view.status.slo
    assert asked.is_done


def test_what_was_not_changed_is_not_rolled_back() -> None:
    proposal = {"action_type": "rollback", "target": "db"}
    asked = _ask(_start(scenario("paying-ends-in-an-error", 4)), DEV, proposal, turns=3)
    words = "I would rather not rollback db: I see no change of db that could be taken back"
    assert asked.words == words
    assert not asked.is_done


def test_a_measure_against_nothing_that_is_likely_is_refused() -> None:
    args = {"limit": "threads"}
    proposal = {"action_type": "raise_limit", "target": "catalog", "args": args}
    asked = _ask(_start(scenario("errors-come-and-go", 2)), SRE, proposal, turns=3, others_play=True)
    assert asked.words.startswith("I would rather not raise limit catalog threads: what I see")
    assert not asked.is_done


def test_who_knows_too_little_says_so_looks_there_and_does_it_if_that_supports_it() -> None:
    proposal = {"action_type": "terminate", "target": "db"}
    asked = _ask(_start(hand_made()), SRE, proposal, turns=3)
    said, looked, did = (frame.action for frame in asked.answers)
    assert str(said.args["text"]).startswith("Let me look at db first, before I terminate db: ")
    assert (looked.action_type, looked.target) == (ActionType.INVESTIGATE, "db")
    assert (did.action_type, did.target) == (ActionType.TERMINATE, "db")


def test_who_looks_and_finds_nothing_says_so_and_does_not_do_it() -> None:
    proposal = {"action_type": "terminate", "target": "db"}
    played = hand_made(evidence=[_NO_ANSWER])
    asked = _ask(_start(played), SRE, proposal, turns=4)
    *looks, last = (frame.action for frame in asked.answers[1:])
    assert [(look.action_type, look.target) for look in looks] == [
        (ActionType.INVESTIGATE, "db")
    ] * 2
    assert last.args["text"] == (
        "I would rather not terminate db: nothing that I see in db speaks for it"
    )


def test_the_expert_says_that_it_looks_because_somebody_asked() -> None:
    stepper = _start(hand_made())
    _ask(stepper, SRE, {"action_type": "terminate", "target": "db"}, turns=1)
    view_of(stepper, SRE)
    why = Expert(0).explain(stepper.observation, SRE)
    assert (
        why == "A teammate asked for a change there, and this investigation shows whether it fits."
    )


def _manager_view(**changes: Any) -> RoleView:
    """The Manager's view where all is done for the all-clear, but for the changes."""
    view = view_of(play(hand_made(), turns=0), MANAGER)
    status = view.status._replace(minute=20, users_ok=1.0, held=4)
    restart = InFlight(SRE, ActionType.RESTART, "db", EMPTY, taken=8, lands=10)
    named = Diagnosis(9, SRE, FailureType.DB_DEADLOCK, right=True)
    whole = view._replace(status=status, landed=(restart,), in_flight=(), diagnoses=(named,))
    return whole._replace(**changes)


def _said(minute: int) -> Impact:
    text = "Manager declared the incident over, and it was not"
    return Impact(0.0, 0.0, (), (LastAction(MANAGER, minute, text, ActionType.RESOLVE),))


def test_nothing_speaks_against_an_all_clear_after_the_fix_of_a_confirmed_cause() -> None:
    assert unfinished(_manager_view()) == ""


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"diagnoses": ()}, "the cause is not confirmed, and it may still be there"),
        ({"landed": ()}, "nothing that ends db deadlock has landed yet"),
        (
            {"diagnoses": (Diagnosis(9, SRE, FailureType.AUTOSCALER_COST_CUT, right=True),)},
            "nothing that ends autoscaler cost cut has landed yet",
        ),
        (
            {
                "diagnoses": (Diagnosis(9, SRE, FailureType.AUTOSCALER_COST_CUT, right=True),),
                "landed": (InFlight(SRE, ActionType.SCALE, "db", EMPTY, 8, 10),),
            },
            "autoscaler cost cut is an agent's doing, and no agent is paused",
        ),
        (
            {"impact": _said(15)},
            "the last all-clear was wrong, and nothing has changed since",
        ),
    ],
)
def test_an_all_clear_that_would_be_false_is_refused_with_the_reason(
    changes: dict[str, Any], reason: str
) -> None:
    assert unfinished(_manager_view(**changes)) == reason


def test_after_a_wrong_all_clear_the_next_one_waits_for_a_change() -> None:
    assert unfinished(_manager_view(impact=_said(15)))
    assert unfinished(_manager_view(impact=_said(9))) == ""


def test_an_all_clear_that_was_wrong_is_not_declared_again_however_often_it_is_asked_for() -> None:
    stepper = _start(hand_made(faults=[MILD], automation=[INNOCENT, ROGUE]))
    todo = [
        ChaosOpsAction(SRE, "restart", "db"),
        ChaosOpsAction(SRE, "diagnose", None, {"cause": "db_deadlock"}),
    ]
    ask = {"to": "manager", "text": "done?", "proposal": {"action_type": "resolve"}}
    wrong, said = 0, []
    while not stepper.done:
        role = stepper.role
        action = ChaosOpsAction(role, _PASS)
        if role is SRE:
            action = todo.pop(0) if todo else ChaosOpsAction(SRE, "communicate", None, ask)
        elif role is MANAGER:
            action = Expert(0)(stepper.observation, role)
        frame = stepper.take(action)
        wrong += frame.breakdown.false_all_clear_penalty < 0.0
        if role is MANAGER:
            said.append(str(action.args.get("text")))
    assert wrong == 1
    assert said[-1] == (
        "I would rather not resolve: the last all-clear was wrong, and nothing has changed since"
    )


def _verdict(
    view: RoleView,
    verb: str,
    target: str | None,
    cause: FailureType | None = None,
    **given: int,
) -> ProposalVerdict:
    """What the role of the view thinks of a request, for which the sender may name a cause."""
    args: dict[str, Any] = {"percent": 0} if verb == "shed_load" else dict(given)
    if verb == "diagnose":
        args = {"cause": target}
    place = None if verb == "diagnose" else target
    wanted = Proposal(ActionType(verb), place, FrozenMap(args), cause)
    signs: dict[str, set[Sign]] = {}
    for finding in view.findings:
        signs.setdefault(finding.target, set()).update(finding.signs)
    message = Message(view.status.minute, MANAGER, view.role, "please", wanted, None)
    return weigh(message, view, beliefs(view), signs)


def _sre_view(*signs: Sign, at: str = "search") -> RoleView:
    """The SRE's first view of a failing database, after it found that at a service."""
    view = view_of(play(hand_made(), turns=0), SRE)
    found = Finding(0, SRE, Source.RUNTIME, at, "it says so", signs)
    return view._replace(findings=(found,) if signs else ())


def test_what_looks_well_is_left_alone_while_others_are_hurt() -> None:
    view = _sre_view()
    well = next(now.service for now in view.services or () if now.health is Health.HEALTHY)
    words = f"{well} looks well from here, and a change would cost it a minute"
    assert _verdict(view, "restart", well) == ProposalVerdict(False, words)


def test_a_reason_that_nothing_speaks_against_spares_the_look() -> None:
    view = _sre_view()
    assert _verdict(view, "terminate", "db").look is not None
    assert _verdict(view, "terminate", "db", FailureType.DB_DEADLOCK).accepted


def test_a_reason_does_not_count_against_what_was_found() -> None:
    view = _sre_view(Sign.SCHEMA_CHANGE_WAITS, at="db")
    assert not _verdict(view, "restart", "db", FailureType.DB_DEADLOCK).accepted


def test_a_weak_sign_is_enough_where_the_sender_names_what_it_points_to() -> None:
    view = _sre_view()
    well = next(now.service for now in view.services or () if now.health is Health.HEALTHY)
    view = _sre_view(Sign.IDLE_BUT_SLOW, at=well)
    assert not _verdict(view, "terminate", well).accepted
    assert _verdict(view, "terminate", well, FailureType.DB_DEADLOCK).accepted


def test_users_are_let_in_again_only_where_they_were_turned_away() -> None:
    view = _sre_view()
    assert _verdict(view, "shed_load", "edge").reason == "nobody is turned away at edge"
    shed = InFlight(SRE, ActionType.SHED_LOAD, "edge", FrozenMap({"percent": 25}), 0, 1)
    assert _verdict(view._replace(landed=(shed,)), "shed_load", "edge").accepted


def test_another_cause_than_the_confirmed_one_is_refused_in_words() -> None:
    named = Diagnosis(0, SRE, FailureType.DB_DEADLOCK, right=True)
    view = _sre_view()._replace(diagnoses=(named,))
    reason = "I see no sign of it, and db deadlock is confirmed already"
    assert _verdict(view, "diagnose", "memory_leak").reason == reason


def test_a_cause_that_is_confirmed_is_not_diagnosed_again_and_the_answer_names_it() -> None:
    proposal = {"action_type": "diagnose", "args": {"cause": "db_deadlock"}}
    stepper = play(hand_made(), {0: move("diagnose", cause="db_deadlock")}, turns=1)
    asked = _ask(stepper, DEV, proposal, turns=1)
    assert asked.words == "I would rather not diagnose db deadlock: it is confirmed already"


def test_room_for_a_full_disk_is_made_by_more_replicas_too() -> None:
    view = _sre_view(Sign.WRITES_REFUSED, at="db")
    assert _verdict(view, "scale", "db", replicas=5).accepted


def test_fewer_replicas_end_what_a_drain_ends_and_more_do_not() -> None:
    view = _sre_view(Sign.THREADS_AT_LIMIT, at="catalog")
    assert {now.service: now.replicas for now in view.services or ()}["catalog"] == 3
    assert _verdict(view, "drain", "catalog").accepted
    assert _verdict(view, "scale", "catalog", replicas=2).accepted
    assert not _verdict(view, "scale", "catalog", replicas=4).accepted
