"""The topology: services, their dependencies, and alert rules.

A topology is data. These models say what its file may hold; `chaosops.scenarios.file_reader`
reads it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, NoReturn, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from chaosops.env.models.action_types import ActionType
from chaosops.env.models.events import Severity
from chaosops.env.models.services import ServiceKind
from chaosops.env.models.signals import Signal

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,39}$", strict=True)]


def _visible(text: str) -> str:
    if not any(char.isprintable() and not char.isspace() for char in text):
        raise ValueError("this text is blank; write something or take the key out")
    return text


Visible = AfterValidator(_visible)
"""Text with at least one visible character."""


def _one_line(text: str) -> str:
    if "\n" in text:
        raise ValueError("this is one line of text; join its lines")
    return text


Line = Annotated[
    str,
    StringConstraints(min_length=1, max_length=300, strict=True),
    Visible,
    AfterValidator(_one_line),
]


class ReadOnly(dict[Any, Any]):
    """A dictionary that cannot be changed."""

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise TypeError("a scenario cannot change")

    __setitem__ = __delitem__ = __ior__ = _refuse
    update = setdefault = pop = popitem = clear = _refuse

    def __reduce__(self) -> tuple[type[ReadOnly], tuple[dict[Any, Any]]]:
        return ReadOnly, (dict(self),)


class Strict(BaseModel):
    """A part of a file: immutable, and unknown keys are errors."""

    # A game uses few of these models; building the validators of all takes as long as a paint.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class CallMode(StrEnum):
    """What a caller does when a call fails.

    `required` fails with it, `fallback` answers without it, `async` hands it over and goes on.
    """

    REQUIRED = "required"
    FALLBACK = "fallback"
    ASYNC = "async"


class CallSpec(Strict):
    """An edge of the graph.

    Attributes:
        to: The service called.
        per_request: Calls for each request served.
        timeout_ms: When the caller gives up on one attempt.
        retries: Attempts after the first.
        behind: The cache in front of it, whose misses get here.
        table: The table that it mostly reads and writes, if `to` is a database.
    """

    to: Name
    per_request: float = Field(default=1.0, gt=0, le=20)
    mode: CallMode = CallMode.REQUIRED
    timeout_ms: int = Field(default=1000, ge=1, le=600_000)
    retries: int = Field(default=0, ge=0, le=10)
    behind: Name | None = None
    table: Name | None = None


class PoolSpec(Strict):
    """The connections a service keeps to one service it calls; `size` is for each replica."""

    to: Name
    size: int = Field(ge=1, le=100_000)


class ServiceSpec(Strict):
    """A service as it is on a good day.

    Attributes:
        rps_per_replica: What one replica can serve.
        servers: Requests that one replica works on concurrently, for the queueing formula.
        base_ms: Mean time to serve one request, without waiting and without its calls.
        memory: Percent of the limit in use at start.
        disk: Percent in use at start; None for a service without a disk of its own.
        hit_rate: Share of look-ups answered, for a cache.
        queue_seconds: Requests that may wait, in seconds of full capacity.
        shards: Parts its data is split into; each takes its share of the load and the capacity.
        dns_ttl: Minutes for which callers cache its address.
        zones: The number of zones that its replicas are spread over.
        memory_gb: The memory limit of one replica; each request in flight takes `request_mb`.
        disk_gb: Size of the disk of one replica.
        sessions: The most connections that a database accepts.
    """

    name: Name
    kind: ServiceKind
    calls: tuple[CallSpec, ...] = ()
    replicas: int = Field(default=3, ge=1, le=1000)
    max_replicas: int = Field(default=12, ge=1, le=1000)
    rps_per_replica: float = Field(gt=0, le=1e6)
    servers: int = Field(default=4, ge=1, le=10_000)
    base_ms: float = Field(gt=0, le=60_000)
    memory: float = Field(default=45, ge=0, le=95)
    disk: float | None = Field(default=None, ge=0, le=95)
    pool: PoolSpec | None = None
    hit_rate: float | None = Field(default=None, ge=0, le=1)
    queue_seconds: float = Field(default=20, ge=0, le=3600)
    shards: int = Field(default=1, ge=1, le=1000)
    dns_ttl: int = Field(default=5, ge=1, le=60)
    zones: int = Field(default=3, ge=1, le=9)
    memory_gb: float = Field(default=2, gt=0, le=4096)
    request_mb: float = Field(default=0.1, ge=0, le=100)
    disk_gb: float = Field(default=200, gt=0, le=1e6)
    sessions: int = Field(default=500, ge=10, le=100_000)


class EntryPoint(Strict):
    """A service that users call, and their requests per second."""

    service: Name
    rps: float = Field(gt=0, le=1e6)


class AlertRule(Strict):
    """An alert rule. `{service}` in its text is filled in.

    A rule watches the services of its `kinds`, or those named in `services`; a rule on
    `users_ok` watches the users of the whole topology and names the first entry. Exactly one of
    `above` and `below` is given, in the unit of the signal.
    """

    id: Name
    signal: Signal
    kinds: tuple[ServiceKind, ...] = ()
    services: tuple[Name, ...] = ()
    above: float | None = None
    below: float | None = None
    minutes: int = Field(default=1, ge=1, le=30)
    severity: Severity = Severity.TICKET
    text: Line

    @model_validator(mode="after")
    def _one_bound(self) -> Self:
        if (self.above is None) == (self.below is None):
            raise ValueError("give exactly one of 'above' and 'below'")
        return self


class ServiceDetails(Strict):
    """What differs in situations for a service; what is left out doesn't.

    Attributes:
        name: The service.
    """

    name: Name
    pool: PoolSpec | None = None
    disk: float | None = Field(default=None, ge=0, le=95)
    disk_gb: float | None = Field(default=None, gt=0, le=1e6)
    queue_seconds: float | None = Field(default=None, ge=0, le=3600)
    request_mb: float | None = Field(default=None, ge=0, le=100)
    memory_gb: float | None = Field(default=None, gt=0, le=4096)
    sessions: int | None = Field(default=None, ge=10, le=100_000)
    shards: int | None = Field(default=None, ge=1, le=1000)


class SituationDetails(Strict):
    """What differs in situations, whose simulator is finer than that of incidents with one answer.

    Attributes:
        error_budget_minutes: Minutes of full outage left in the budget when the page comes.
        services: The services that differ.
        alert_kinds: The kinds of services that alert rules watch, by the id of the rule.
    """

    error_budget_minutes: float | None = Field(default=None, gt=0, le=10_000)
    services: tuple[ServiceDetails, ...] = ()
    alert_kinds: Annotated[dict[Name, tuple[ServiceKind, ...]], AfterValidator(ReadOnly)] = Field(
        default_factory=ReadOnly
    )


class Topology(Strict):
    """A fleet: eight or more services whose calls form no cycle.

    Attributes:
        slo: The share of user requests that must succeed.
        error_budget_minutes: Minutes of full outage left in the budget when the page comes.
        situations: What differs in situations (`in_situations`).
        pages: The possible texts of a page, shared by incidents.
        minutes_in_flight: How long a verb takes to land, by the kind of the service.
    """

    id: Name
    title: Line
    slo: float = Field(ge=0.5, lt=1)
    error_budget_minutes: float = Field(gt=0, le=10_000)
    entries: tuple[EntryPoint, ...] = Field(min_length=1)
    services: tuple[ServiceSpec, ...] = Field(min_length=8, max_length=60)
    alerts: tuple[AlertRule, ...] = Field(min_length=1)
    pages: Annotated[dict[Name, Line], Field(min_length=1), AfterValidator(ReadOnly)]
    minutes_in_flight: Annotated[
        dict[ServiceKind, Annotated[dict[ActionType, int], AfterValidator(ReadOnly)]],
        AfterValidator(ReadOnly),
    ] = Field(default_factory=ReadOnly)
    situations: SituationDetails = SituationDetails()

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        names = [service.name for service in self.services]
        known = set(names)
        if len(known) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise ValueError(f"service names must differ: {', '.join(twice)}")
        for service in self.services:
            called = [call.to for call in service.calls]
            for call in service.calls:
                _expect(call.to, known, f"{service.name} calls")
                if call.behind is not None:
                    _expect(call.behind, set(called), f"{service.name} calls {call.to} behind")
            if len(set(called)) != len(called):
                raise ValueError(f"{service.name} lists one service twice under 'calls'")
            if service.pool is not None:
                _expect(service.pool.to, set(called), f"the pool of {service.name} goes to")
            if service.replicas > service.max_replicas:
                raise ValueError(f"{service.name} starts with more replicas than max_replicas")
        for entry in self.entries:
            _expect(entry.service, known, "an entry names")
        for rule in self.alerts:
            for name in rule.services:
                _expect(name, known, f"alert {rule.id} watches")
        for details in self.situations.services:
            _expect(details.name, known, "situations.services names")
            if details.pool is not None:
                called = [call.to for call in self.services[names.index(details.name)].calls]
                _expect(details.pool.to, set(called), f"the pool of {details.name} goes to")
        for rule_id in self.situations.alert_kinds:
            _expect(rule_id, {rule.id for rule in self.alerts}, "situations.alert_kinds names")
        self.order()
        return self

    def in_situations(self) -> Topology:
        """Return the fleet as it is in situations."""
        differing = {
            details.name: details.model_dump(exclude_unset=True) | _pool(details)
            for details in self.situations.services
        }
        kinds = self.situations.alert_kinds
        budget = self.situations.error_budget_minutes
        return self.model_copy(
            update={
                "error_budget_minutes": self.error_budget_minutes if budget is None else budget,
                "services": tuple(
                    spec.model_copy(update=differing.get(spec.name)) for spec in self.services
                ),
                "alerts": tuple(
                    rule.model_copy(update={"kinds": kinds[rule.id]}) if rule.id in kinds else rule
                    for rule in self.alerts
                ),
                "situations": SituationDetails(),
            }
        )

    def names(self) -> tuple[str, ...]:
        """The names of the services, in the order of the file."""
        return tuple(service.name for service in self.services)

    def order(self) -> tuple[int, ...]:
        """Sort the indices of the services so that callers come before their dependencies.

        Raises:
            ValueError: The calls form a cycle; the message shows it.
        """
        index = {service.name: i for i, service in enumerate(self.services)}
        done: dict[int, bool] = {}
        finished: list[int] = []
        path: list[str] = []

        def visit(i: int) -> None:
            if i in done:
                if not done[i]:
                    name = self.services[i].name
                    cycle = [*path[path.index(name) :], name]
                    raise ValueError(f"the calls form a cycle: {' -> '.join(cycle)}")
                return
            done[i] = False
            path.append(self.services[i].name)
            for call in self.services[i].calls:
                visit(index[call.to])
            path.pop()
            done[i] = True
            finished.append(i)

        for i in range(len(self.services)):
            visit(i)
        return tuple(reversed(finished))


def _pool(details: ServiceDetails) -> dict[str, PoolSpec]:
    return {} if details.pool is None else {"pool": details.pool}


def _expect(name: str, known: set[str], where: str) -> None:
    if name not in known:
        raise ValueError(f"{where} '{name}', which is not one of: {', '.join(sorted(known))}")
