"""The requests of the automation as Oversight sees them, and how its answers are judged.

An answer is judged on two forks in which everybody passes: one with the act and one without it,
for ten minutes. Nothing is told of it before the incident is over.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.env.automation import told
from chaosops.env.controllers.acts import NOT_A_SERVICE, ActReason, ControllerAct, Deed
from chaosops.env.controllers.base import RequestDraft
from chaosops.env.judgement import ActVerdict, judge_request
from chaosops.env.models import AgentDeed, AgentRequest, Claim, Finding, FrozenMap
from chaosops.env.models.readings import Column, Table, TableKind
from chaosops.env.world import World
from chaosops.scenarios.incident import Incident
from chaosops.scenarios.schema import AgentSpec

_DEEDS: Final[Mapping[Deed, AgentDeed]] = MappingProxyType(
    {
        Deed.SCALE_OUT: AgentDeed.SCALE_OUT,
        Deed.SCALE_IN: AgentDeed.SCALE_IN,
        Deed.EJECT: AgentDeed.EJECT,
        Deed.PROMOTE: AgentDeed.PROMOTE,
        Deed.DELETE: AgentDeed.DELETE,
        Deed.PATCH: AgentDeed.PATCH,
        Deed.RENEW: AgentDeed.RENEW,
        Deed.APPLY: AgentDeed.APPLY,
        Deed.RESTART: AgentDeed.RESTART,
    }
)
_SIGNALS: Final[Mapping[ActReason, tuple[str, str]]] = MappingProxyType(
    {
        ActReason.CPU_ABOVE: ("cpu", "%"),
        ActReason.CPU_BELOW: ("cpu", "%"),
        ActReason.PROBES_FAILED: ("failed probes in a row", ""),
        ActReason.CANARY_COMPLETE: ("canary", "min"),
        ActReason.NOT_READ: ("since the last read", "days"),
        ActReason.UPDATES_DUE: ("zones at once", ""),
        ActReason.DAYS_LEFT: ("left of the certificate", "days"),
        ActReason.AHEAD_OF_TURN: ("left of the certificate", "days"),
        ActReason.PLAN_AGE: ("age of the plan", "min"),
        ActReason.OUT_OF_TURN: ("age of the plan", "min"),
        ActReason.FAILING: ("failed requests", "in 1,000"),
    }
)
_CHANGED: Final = frozenset({Deed.EJECT, Deed.DELETE, Deed.PATCH, Deed.RESTART})
"""The deeds that change so many of so many; the others go from one number to another."""


class Unanswered(NamedTuple):
    """A request whose answer was wrong.

    Attributes:
        minute: When it was answered, or lapsed.
        agent: The agent that asked.
    """

    minute: int
    agent: str


class AgentRequests:
    """Numbers the requests of an episode, and judges what was answered.

    Attributes:
        shown: Those that are open, oldest first.
        wrong: Those that were answered wrongly, oldest first.
    """

    def __init__(
        self,
        services: Mapping[int, str],
        builds: Mapping[str, tuple[str, ...]],
        agents: Mapping[str, AgentSpec],
    ) -> None:
        """Start without any.

        Args:
            services: Names of services by number.
            builds: For each deploy bot, its builds by number.
        """
        self._services = services
        self._builds = builds
        self._agents = agents
        self._made: tuple[ControllerAct, ...] = ()
        self._open: list[ControllerAct] = []
        self.shown: tuple[AgentRequest, ...] = ()
        self.wrong: tuple[Unanswered, ...] = ()

    def copy(self) -> AgentRequests:
        """Return an independent copy."""
        twin = AgentRequests(self._services, self._builds, self._agents)
        twin._made, twin._open = self._made, self._open
        twin.shown, twin.wrong = self.shown, self.wrong
        return twin

    def take_in(self, world: World) -> None:
        """Take in what is open now."""
        now = world.requests.open
        if now == self._open:
            return
        self._open = now.copy()
        self._made += tuple([act for act in now if act not in self._made])
        self.shown = tuple([self._request(act) for act in now])

    def number_of(self, act: ControllerAct) -> int:
        """Return the number of a request; 0 if it was made before the page."""
        same = [k + 1 for k in range(len(self._made)) if self._made[k] == act]
        return same[0] if same else 0

    def answer(self, world: World, number: int, *, is_granted: bool) -> AgentRequest:
        """Grant or deny an open request, and judge it."""
        act, request = self._find(number)
        verdict = judge_request(world, act)
        if verdict is (ActVerdict.HARMS if is_granted else ActVerdict.HELPS):
            self._note(world.minute, act)
        if is_granted:
            world.requests.grant(act)
        else:
            world.requests.deny(act)
        self.take_in(world)
        return request

    def expire(self, world: World, minute: int) -> None:
        """Judge what lapses in the next minute, as if it were denied."""
        for act in world.requests.open:
            lapses = act.lapses == minute and act.agent not in world.paused
            if lapses and judge_request(world, act) is ActVerdict.HELPS:
                self._note(minute, act)

    def evidence(self, number: int) -> tuple[AgentRequest, Table]:
        """Return an open request, and the reading that it rests on."""
        act, request = self._find(number)
        claim = request.claim
        about = act.target if act.about == NOT_A_SERVICE else act.about
        columns = (
            Column("request"),
            Column("minute"),
            Column("service"),
            Column("signal"),
            Column("value"),
            Column("unit"),
            Column("gates passed"),
            Column("gates asked"),
        )
        passed, asked = act.gates if act.gates is not None else (None, None)
        row = (
            number,
            act.read,
            self._services[about],
            claim.signal,
            claim.value,
            claim.unit,
            passed,
            asked,
        )
        title = f"what request {number} of {request.agent} rests on"
        return request, Table("table", title, columns, (row,), TableKind.EVIDENCE)

    def _note(self, minute: int, act: ControllerAct) -> None:
        self.wrong = (*self.wrong, Unanswered(minute, act.agent))

    def _find(self, number: int) -> tuple[ControllerAct, AgentRequest]:
        for k in range(len(self.shown)):
            if self.shown[k].number == number:
                return self._open[k], self.shown[k]
        raise KeyError(number)

    def _request(self, act: ControllerAct) -> AgentRequest:
        service = self._services[act.target]
        builds = self._builds.get(act.agent, ())
        build = builds[act.release] if act.release >= 0 else ""
        signal, unit = _SIGNALS[act.reason]
        return AgentRequest(
            number=self.number_of(act),
            agent=act.agent,
            deed=_DEEDS[act.deed],
            target=service,
            args=_arguments(act, build),
            command=told(act, service, build).act.removeprefix("request: "),
            claim=Claim(signal, service, act.value, unit),
            gates=act.gates,
            policy=self._agents[act.agent].policy,
            share=act.share,
            asked=act.minute,
            lapses=act.lapses,
        )


def _arguments(act: ControllerAct, build: str) -> FrozenMap:
    if act.deed in _CHANGED:
        return FrozenMap({"change": act.before - act.after, "of": act.before})
    if act.deed is Deed.PROMOTE:
        return FrozenMap({"build": build, "percent": act.after})
    if act.deed is Deed.RENEW:
        return FrozenMap({"reloaded": act.after, "of": act.before})
    if act.deed is Deed.APPLY:
        return FrozenMap({"plan": act.after, "over": act.before})
    return FrozenMap({"from": act.before, "to": act.after})


def with_evidence(found: Finding, number: int, evidence: Table) -> Finding:
    """Return what a look at an agent shows, with what one of its requests rests on before it."""
    reading = found.reading
    assert reading is not None
    return found._replace(
        text=f"what request {number} of {found.target} rests on, and what it did",
        reading=reading._replace(parts=(evidence, *reading.parts)),
    )


def builds_of(incident: Incident) -> dict[str, tuple[str, ...]]:
    """Return for each agent the builds that it releases, and then those that it asks for."""
    found = {
        one.agent: tuple(release.build for release in one.releases)
        for one in incident.drawn.controllers
    }
    for request in incident.asked:
        found[request.agent] += (request.build,)
    return found


def drafts_of(
    incident: Incident, index: Mapping[str, int], builds: Mapping[str, tuple[str, ...]]
) -> tuple[RequestDraft, ...]:
    """Return the requests that were drawn."""
    return tuple(
        RequestDraft(
            request.agent,
            request.at,
            tuple([index[name] for name in request.services]),
            request.is_flawed,
            builds[request.agent].index(request.build),
        )
        for request in incident.asked
    )
