"""Makes a topology: layers of services with themed names, able to carry their own load."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from chaosops.env.casting import settled
from chaosops.env.models import ServiceKind
from chaosops.env.models.topology import CallMode, Topology
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.samples import measure
from chaosops.env.trials import try_topology
from chaosops.generation.cohort import noticed_services
from chaosops.generation.data_files import read_data
from chaosops.generation.dice import SeededDice
from chaosops.generation.draft import Fleet, flow, scalar
from chaosops.generation.errors import GenerationError
from chaosops.generation.fleet_plan import PlannedCall, PlannedService, draw_services
from chaosops.generation.fleet_sizes import loads_of, pool_size, sized
from chaosops.generation.themes import Theme, draw_theme

_TRIES: Final = 10
_USERS: Final = (500, 900)
_SECOND_ENTRY: Final = 0.4
_SLOW: Final = 2.0
_LEAST_NOTICED: Final = 3
_BUSY_DAY: Final = 1.5


def make_fleet(topology_id: str, services: int, seed: int) -> Fleet:
    """Make a fleet of so many services; the same seed always makes the same one.

    Raises:
        GenerationError: None of the tries carries its own load, with places for causes.
    """
    reason = ""
    for number in range(_TRIES):
        dice = SeededDice(seed, "fleet", services, number)
        theme, deck = draw_theme(dice.of("theme"))
        plan = draw_services(services, deck, dice.of("services"))
        made = _FleetMaker(topology_id, theme, plan, dice)
        topology = Topology.model_validate(made.data())
        reason = next(try_topology(topology), "")
        if not reason and len(noticed_services(topology)) < _LEAST_NOTICED:
            reason = "too few of its services matter to many users"
        if not reason:
            return Fleet(topology, made.text(), theme.product, theme.things)
    raise GenerationError(
        f"no fleet of {services} services can be made from seed {seed}: {reason}; use "
        "another seed or another number of services"
    )


class _FleetMaker:
    """Puts the data of a topology together, and its text."""

    def __init__(
        self, topology_id: str, theme: Theme, plan: Sequence[PlannedService], dice: SeededDice
    ) -> None:
        self._id = topology_id
        self._theme = theme
        self._plan = plan
        users = dice.of("users").between(*_USERS) // 10 * 10
        edges = [service.name for service in plan if service.kind is ServiceKind.EDGE]
        shares = [1.0] if len(edges) == 1 else [1 - _SECOND_ENTRY, _SECOND_ENTRY]
        self._entries = {
            name: float(round(users * share)) for name, share in zip(edges, shares, strict=True)
        }
        self._loads = loads_of(plan, self._entries)
        self._services = self._sized(dice.of("sizes"))
        self._alerts: list[dict[str, Any]] = []
        self._alerts = list(self._with_thresholds())

    def _sized(self, dice: SeededDice) -> list[dict[str, Any]]:
        pools: dict[str, int] = {}
        found = []
        for service in self._plan:
            load = self._loads[service.name]
            mine = pools.get(service.name, 0)
            fields = sized(service, load, mine, dice.of(service.name))
            if service.pool_to is not None:
                calls = [call for call in service.calls if call.to == service.pool_to]
                asked = sum(call.per_request * (0.1 if call.behind else 1) for call in calls)
                size = pool_size(load * asked, fields["replicas"])
                fields["pool"] = {"to": service.pool_to, "size": size}
                total = size * fields["max_replicas"]
                pools[service.pool_to] = pools.get(service.pool_to, 0) + total
            if service.calls:
                fields["calls"] = [_call(call) for call in service.calls]
            found.append(fields)
        return found

    def data(self) -> dict[str, Any]:
        """Return the data of the topology's file."""
        fixed: Mapping[str, Any] = read_data("fleet_rules.yaml")
        return {
            "id": self._id,
            "title": self._theme.title,
            "slo": fixed["slo"],
            "error_budget_minutes": fixed["error_budget_minutes"],
            "entries": [{"service": name, "rps": rps} for name, rps in self._entries.items()],
            "services": self._services,
            "alerts": self._alerts or fixed["alerts"],
            "pages": fixed["pages"],
            "minutes_in_flight": fixed["minutes_in_flight"],
        }

    def _with_thresholds(self) -> Iterator[dict[str, Any]]:
        """Yield the alert rules; what is slow or much is told from an ordinary day."""
        topology = Topology.model_validate(self.data())
        day = measure(settled(Blueprint(topology)), -1, 0)
        slowest: dict[str, float] = {}
        for spec, now in zip(topology.services, day, strict=True):
            slowest[spec.kind.value] = max(slowest.get(spec.kind.value, 0.0), now.p95)
        kinds = set(slowest)
        for rule in read_data("fleet_rules.yaml")["alerts"]:
            watched = [kind for kind in rule.get("kinds", ()) if kind in kinds]
            if rule.get("kinds") and not watched:
                continue
            made = {**rule, **({"kinds": watched} if watched else {})}
            if rule["signal"] == "p95_ms":
                made["above"] = _round(_SLOW * max(slowest[kind] for kind in watched))
                made["text"] = rule["text"].replace("LIMIT", f"{made['above']} ms")
            elif rule["signal"] == "rps":
                made["above"] = _round(_BUSY_DAY * max(self._entries.values()))
            yield made

    def text(self) -> str:
        """Return the text of the topology's file."""
        data = self.data()
        total = sum(self._entries.values())
        lines = [
            f"# A generated fleet: {len(self._services)} services, {total:.0f} requests a second.",
            "#",
            "# On an ordinary day most services are a third to a half busy. `rps_per_replica` is",
            "# what the servers of one replica can do: servers * 1000 / base_ms. A call `behind` a",
            "# cache is made for each look-up, and only the misses arrive.",
            f"id: {self._id}",
            f"title: {scalar(data['title'])}",
            "",
            f"slo: {data['slo']}",
            f"error_budget_minutes: {data['error_budget_minutes']}",
            "",
            "entries:",
            *(f"  - {flow(entry)}" for entry in data["entries"]),
            "",
            "services:",
        ]
        for service in self._services:
            lines += [*_service_lines(service), ""]
        lines += ["alerts:", *(f"  - {flow(rule)}" for rule in data["alerts"]), "", "pages:"]
        lines += [f"  {name}: {scalar(text)}" for name, text in data["pages"].items()]
        lines += ["", "minutes_in_flight:"]
        lines += [f"  {kind}: {flow(times)}" for kind, times in data["minutes_in_flight"].items()]
        return "\n".join(lines) + "\n"


def _service_lines(service: Mapping[str, Any]) -> Iterator[str]:
    for number, (key, value) in enumerate(service.items()):
        start = "  - " if number == 0 else "    "
        if key == "calls":
            yield f"{start}calls:"
            for call in value:
                yield f"      - {flow(call)}"
        else:
            yield f"{start}{key}: {flow(value)}"


def _call(call: PlannedCall) -> dict[str, Any]:
    fields: dict[str, Any] = {"to": call.to}
    if call.per_request != 1:
        fields["per_request"] = call.per_request
    if call.mode is not CallMode.REQUIRED:
        fields["mode"] = call.mode.value
    fields["timeout_ms"] = call.timeout_ms
    fields |= {"retries": call.retries} if call.retries else {}
    fields |= {"behind": call.behind} if call.behind else {}
    return fields | ({"table": call.table} if call.table else {})


def _round(value: float) -> int:
    """Round up to two digits."""
    step = 10 if value >= 100 else 1
    return int(-(-value // step) * step)
