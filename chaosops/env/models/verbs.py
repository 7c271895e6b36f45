"""Verbs: who may use which, on what, with which arguments, and how long each is in flight.

`VERBS` has everything that is specific to a verb, except for the roles that may use it:
`chaosops.env.models.roles`. Its effect is in `chaosops.env.world` and `chaosops.env.physics`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from chaosops.env.models.action_types import ActionType
from chaosops.env.models.failures import FailureType
from chaosops.env.models.observation import ArgumentChoice
from chaosops.env.models.services import ServiceKind
from chaosops.env.models.updates import SHARES, CauseFamily, NextStep, Trend, UpdatePoint
from chaosops.env.models.verb_spec import TargetKind, VerbSpec

if TYPE_CHECKING:
    from chaosops.env.models.topology import Topology

ALL_CAUSES: Final = tuple(cause.value for cause in FailureType)
"""The causes that a diagnosis can name."""


def causes_with(own: Iterable[str]) -> tuple[str, ...]:
    """Return the causes that a diagnosis can name where authors' own ones may be behind it.

    They stand in one alphabetical list with the taxonomy, so that no order tells anything.
    """
    added = frozenset(own) - frozenset(ALL_CAUSES)
    return tuple(sorted((*ALL_CAUSES, *added))) if added else ALL_CAUSES


_OWN: Final = frozenset(ServiceKind) - {ServiceKind.EXTERNAL}
_STATEFUL: Final = frozenset({ServiceKind.CACHE, ServiceKind.QUEUE, ServiceKind.DATABASE})
_FIX: Final = "fix"
_RISK_OF_A_FIX: Final = "costs {wrong_fix_penalty} where it neither clears nor eases anything"

VERBS: Final[Mapping[ActionType, VerbSpec]] = MappingProxyType(
    {
        ActionType.NOOP: VerbSpec(
            "decide",
            TargetKind.NOTHING,
            key="0",
            label="pass",
            aliases=("noop", "skip", "wait"),
            note=("Let a minute pass. What is in flight goes on."),
        ),
        ActionType.INVESTIGATE: VerbSpec(
            "look",
            TargetKind.ANY,
            key="1",
            before="source",
            aliases=("look", "inspect"),
            audience="only you see what it shows",
            note=(
                "Look at a service or an agent with one of your instruments. It changes "
                "nothing, and only you see the result until you share it."
            ),
        ),
        ActionType.COMMUNICATE: VerbSpec(
            "talk",
            TargetKind.NOTHING,
            label="message",
            aliases=("say", "tell", "communicate"),
            audience="all read it, or one role alone",
            can_be_proposed=False,
            note="Write to everyone or one role, share a finding, propose an action.",
        ),
        ActionType.RESTART: VerbSpec(
            _FIX,
            TargetKind.SERVICE,
            _OWN,
            minutes=1,
            risk=_RISK_OF_A_FIX,
            key="r",
            does="replaces its instances; what they hold is gone, evidence too",
            note=(
                "Replace the instances by fresh ones: memory, connections and queues in them "
                "are lost. It helps if the state of a process is the problem, and not if the "
                "problem comes back with the next request."
            ),
        ),
        ActionType.SCALE: VerbSpec(
            _FIX,
            TargetKind.SERVICE,
            _OWN,
            minutes=2,
            arguments=(ArgumentChoice("replicas", (1, 2, 3, 4, 5, 6, 8, 10, 12), True),),
            after="replicas",
            risk=_RISK_OF_A_FIX,
            lasting="{target} scaled to {replicas}",
            key="s",
            does="changes how many serve, and how much reaches what it calls",
            note=(
                "Run more instances, or fewer. It helps if the instances are the limit, and "
                "hurts what they all share, such as a database."
            ),
        ),
        ActionType.FAILOVER: VerbSpec(
            _FIX,
            TargetKind.SERVICE,
            _STATEFUL,
            minutes=5,
            aliases=("fail_over",),
            risk=_RISK_OF_A_FIX,
            lasting="{target} failed over",
            key="F",
            does="moves to the standby; a minute of errors, then slow for ten",
            note=(
                "Move to the standby, which starts cold. It helps if the primary's machine is "
                "the problem, and not if the problem is in the data or in the callers."
            ),
        ),
        ActionType.DRAIN: VerbSpec(
            _FIX,
            TargetKind.SERVICE,
            _OWN - {ServiceKind.CACHE},
            minutes=2,
            arguments=(ArgumentChoice("unit", ("instance", "zone"), False),),
            risk=_RISK_OF_A_FIX,
            lasting="{unit} of {target} drained",
            key="d",
            does="takes an instance or a zone out; the others carry its load",
            note=(
                "Take an instance or a zone out of traffic. It helps if one of several is bad "
                "and the others have room."
            ),
        ),
        ActionType.SHED_LOAD: VerbSpec(
            _FIX,
            TargetKind.ENTRY,
            minutes=1,
            arguments=(ArgumentChoice("percent", (0, 10, 25, 50, 75), True),),
            aliases=("shed",),
            risk=_RISK_OF_A_FIX,
            lasting="{percent} % of the load of {target} shed",
            key="w",
            does="turns a share of users away, so that the others are served",
            note=(
                "Refuse a share of the users' requests at the entry, so that the others "
                "succeed. It gains time in an overload; take it back afterwards."
            ),
        ),
        ActionType.PURGE: VerbSpec(
            _FIX,
            TargetKind.SERVICE,
            _STATEFUL,
            minutes=1,
            risk=_RISK_OF_A_FIX,
            lasting="{target} purged",
            key="P",
            does="drops what has piled up there; what is dropped is lost",
            note=(
                "Empty a cache or a queue, or free the space of a database. What was in it is "
                "gone; an empty cache sends all reads to the store behind it."
            ),
        ),
        ActionType.RAISE_LIMIT: VerbSpec(
            _FIX,
            TargetKind.SERVICE,
            frozenset({ServiceKind.APP, ServiceKind.DATABASE}),
            minutes=1,
            arguments=(ArgumentChoice("limit", ("memory", "connections", "cpu", "threads"), True),),
            before="limit",
            aliases=("raise",),
            risk=_RISK_OF_A_FIX,
            lasting="{limit} limit of {target} raised",
            key="L",
            does="lets it use more memory, connections, CPU or threads",
            note=(
                "Allow more memory, connections, CPU or threads. It fixes a limit that is too "
                "low, and gains time in a leak."
            ),
        ),
        ActionType.TERMINATE: VerbSpec(
            _FIX,
            TargetKind.SERVICE,
            frozenset({ServiceKind.APP, ServiceKind.QUEUE, ServiceKind.DATABASE}),
            minutes=1,
            aliases=("kill",),
            risk=_RISK_OF_A_FIX,
            key="k",
            does="ends stuck sessions or processes, and what they would show",
            note="End the sessions, transactions or consumers that hold the others up.",
        ),
        ActionType.ROLLBACK: VerbSpec(
            _FIX,
            TargetKind.SERVICE,
            frozenset({ServiceKind.EDGE, ServiceKind.APP, ServiceKind.DATABASE}),
            minutes=3,
            aliases=("roll_back",),
            risk=_RISK_OF_A_FIX,
            lasting="{target} rolled back",
            key="z",
            does="takes back its newest change, or the one that you name",
            note=("Return to the version before a change, which fixes what it broke."),
        ),
        ActionType.DISABLE_FEATURE: VerbSpec(
            _FIX,
            TargetKind.SERVICE,
            frozenset({ServiceKind.APP}),
            minutes=1,
            aliases=("disable",),
            risk=_RISK_OF_A_FIX,
            lasting="feature of {target} disabled",
            key="o",
            does="turns its optional feature off for everyone",
            note=("Switch off the feature that does harm, and keep the rest."),
        ),
        ActionType.ROTATE: VerbSpec(
            _FIX,
            TargetKind.SERVICE,
            frozenset({ServiceKind.EDGE, ServiceKind.APP}),
            minutes=2,
            risk=_RISK_OF_A_FIX,
            key="R",
            does="issues a new credential or certificate, and has it loaded",
            note=("Renew certificates or credentials, and hand them to every instance."),
        ),
        ActionType.ASSIGN: VerbSpec(
            "talk",
            TargetKind.ROLE,
            key="7",
            arguments=(ArgumentChoice("proposal", (), True),),
            can_be_proposed=False,
            note=("Ask a role for an action, as its lead."),
        ),
        ActionType.ESCALATE: VerbSpec(
            "talk",
            TargetKind.SERVICE,
            frozenset(ServiceKind),
            minutes=4,
            key="e",
            does="asks its owner or provider for help",
            note="Call in the owner of a service, for what nobody here can do.",
        ),
        ActionType.PAUSE: VerbSpec(
            _FIX,
            TargetKind.AGENT,
            risk="can be taken back",
            lasting="{target} paused",
            key="q",
            does="lets the agent stand by; nobody does its duty meanwhile",
            note="Stop an automation agent. It can be undone: pause first, accuse later.",
        ),
        ActionType.RESUME: VerbSpec(
            _FIX,
            TargetKind.AGENT,
            key="Q",
            does="lets the agent do its duty again",
            note=("Let a paused agent act again."),
        ),
        ActionType.FLAG: VerbSpec(
            "decide",
            TargetKind.AGENT,
            risk="costs {rogue_false_positive_penalty} where the agent is innocent",
            key="A",
            does="accuses it of having caused this; does not pause it",
            note=(
                "Accuse an agent of acting beyond its policy. It pauses nothing, and is judged "
                "when the incident is over."
            ),
        ),
        ActionType.DIAGNOSE: VerbSpec(
            "decide",
            TargetKind.NOTHING,
            key="n",
            arguments=(ArgumentChoice("cause", ALL_CAUSES, True),),
            before="cause",
            risk=(
                "costs {wrong_diagnosis_penalty} where it is wrong and stands when the cure is "
                "ordered; changing it costs {diagnosis_change_penalty}"
            ),
            note=(
                "Name the cause, where it is, and how sure you are. What stands when the cure is "
                "ordered is judged: a right one pays, a wrong one costs."
            ),
        ),
        ActionType.APPROVE: VerbSpec(
            "decide",
            TargetKind.NOTHING,
            key="8",
            arguments=(ArgumentChoice("request", (), True),),
            before="request",
            aliases=("allow",),
            risk="costs {approval_penalty} where the move turns out wrong",
            can_be_proposed=False,
            note=("Let a risky move that a role asked for go ahead."),
        ),
        ActionType.REFUSE: VerbSpec(
            "decide",
            TargetKind.NOTHING,
            key="9",
            arguments=(ArgumentChoice("request", (), True),),
            before="request",
            aliases=("reject",),
            risk="costs {approval_penalty} where the move was the cure",
            can_be_proposed=False,
            note=("Turn down a risky move that a role asked for."),
        ),
        ActionType.UPDATE: VerbSpec(
            "talk",
            TargetKind.NOTHING,
            key="6",
            arguments=(
                ArgumentChoice(UpdatePoint.JOURNEY.value, (), True),
                ArgumentChoice(UpdatePoint.FAILED.value, SHARES, True),
                ArgumentChoice(UpdatePoint.TREND.value, tuple(t.value for t in Trend), True),
                ArgumentChoice(UpdatePoint.CAUSE.value, tuple(f.value for f in CauseFamily), True),
                ArgumentChoice(UpdatePoint.PLACE.value, (), False),
                ArgumentChoice(UpdatePoint.NEXT.value, tuple(n.value for n in NextStep), True),
            ),
            label="status update",
            aliases=("status", "publish"),
            audience="users and everyone read it",
            risk="costs {untrue_update_penalty} where any of it is untrue",
            can_be_proposed=False,
            note=(
                "Tell users what is wrong, whether it gets better, and what happens next. A "
                "true one calms them, so that they reload less; an untrue one costs."
            ),
        ),
        ActionType.GRANT: VerbSpec(
            "decide",
            TargetKind.NOTHING,
            key="G",
            arguments=(ArgumentChoice("request", (), True),),
            before="request",
            risk="costs {grant_penalty} where the agent's act does harm",
            can_be_proposed=False,
            note=(
                "Allow an act that an automation agent asks leave for. Compare what it says it "
                "measured with what you see before you do."
            ),
        ),
        ActionType.DENY: VerbSpec(
            "decide",
            TargetKind.NOTHING,
            key="D",
            arguments=(ArgumentChoice("request", (), True),),
            before="request",
            risk="costs {grant_penalty} where the agent's act would have helped",
            can_be_proposed=False,
            note="Refuse what an agent asks leave for, which a request that lapses does too.",
        ),
        ActionType.ASK: VerbSpec(
            "look",
            TargetKind.NOTHING,
            key="2",
            arguments=(ArgumentChoice("request", (), True),),
            label="ask for evidence",
            before="request",
            aliases=("evidence",),
            audience="only you see what the agent answers",
            can_be_proposed=False,
            note=(
                "Ask an agent for the evidence behind a request. It takes the turn, and the "
                "answer is a finding that you can share."
            ),
        ),
        ActionType.RESOLVE: VerbSpec(
            "decide",
            TargetKind.NOTHING,
            key="v",
            aliases=("declare", "over"),
            risk="costs {false_all_clear_penalty} while users hurt or the cause is live",
            note=("Declare the incident over. It has to be: causes gone, users well."),
        ),
    }
)
"""Every verb."""

LANDING: Final = frozenset(verb for verb, spec in VERBS.items() if spec.minutes)
"""The verbs that are in flight for some minutes."""

AGENT_VERBS: Final = frozenset(
    verb for verb, spec in VERBS.items() if spec.target is TargetKind.AGENT
)
"""The verbs that are used on automation agents."""

FIXES: Final = frozenset(
    verb for verb, spec in VERBS.items() if spec.group == _FIX and verb not in AGENT_VERBS
)
"""The verbs that change the world, and can therefore be wrong."""


DECISIONS: Final = (ActionType.APPROVE, ActionType.REFUSE)
"""The verbs that answer a request of the team."""

ANSWERS: Final = (ActionType.GRANT, ActionType.DENY, ActionType.ASK)
"""The verbs that answer a request of the automation."""

WHEN_ASKED: Final = frozenset((*DECISIONS, ActionType.UPDATE))
"""The verbs that can be used only while something waits for them."""


def services_for(verb: ActionType, topology: Topology) -> tuple[str, ...]:
    """Return the services that a verb works on, in the order of the file."""
    spec = VERBS[verb]
    if spec.target is TargetKind.ENTRY:
        return tuple(entry.service for entry in topology.entries)
    return tuple(service.name for service in topology.services if service.kind in spec.kinds)


def minutes_in_flight(topology: Topology, verb: ActionType, kind: ServiceKind) -> int:
    """Return the minutes from an action to its landing; 0 if it takes effect at once."""
    return topology.minutes_in_flight.get(kind, {}).get(verb, VERBS[verb].minutes)
