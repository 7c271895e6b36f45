"""What a role knows about the fleet: the call tree, which services are unhealthy, and since when.

The services pane and the plain mode both use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from chaosops.env.models import Health, RoleView, ServiceNode
from chaosops.presenter import Entry, ServicePast, SignalValue, entries, service_pasts

HISTORY_MINUTES = 30
"""How many minutes of signals are shown."""


class Branch(NamedTuple):
    """A line of the tree: the guides before a service's name, and the name."""

    guides: str
    name: str


def tree(graph: Sequence[ServiceNode]) -> list[Branch]:
    """Return the call graph as a tree from its entries, each service under its first caller."""
    nodes = {node.name: node for node in graph}
    called = {name for node in graph for name in node.calls}
    placed: set[str] = set()
    branches: list[Branch] = []

    def own(node: ServiceNode) -> list[str]:
        fresh = [name for name in node.calls if name in nodes and name not in placed]
        placed.update(fresh)
        return fresh

    def visit(name: str, lead: str, guide: str) -> None:
        branches.append(Branch(lead + guide, name))
        below = lead + {"├ ": "│ ", "└ ": "  "}.get(guide, "")
        children = own(nodes[name])
        for i, child in enumerate(children):
            visit(child, below, "└ " if i == len(children) - 1 else "├ ")

    roots = [node.name for node in graph if node.name not in called] or [n.name for n in graph[:1]]
    placed.update(roots)
    for root in roots:
        visit(root, "", "")
    for node in graph:
        if node.name not in placed:
            placed.add(node.name)
            visit(node.name, "", "")
    return branches


_ON_PATH = {"├ ": "┣ ", "└ ": "┗ "}
_PASSED = {"├ ": "┃╴", "│ ": "┃ "}

HEAVY = frozenset("┣┗┃")
"""The characters of a guide on the failing path, without those that branch off it."""


def failing_path(
    branches: Sequence[Branch], ends: frozenset[str], health: Mapping[str, Health]
) -> tuple[list[Branch], frozenset[str]]:
    """Return the tree with heavy guides along the failing path, and the services on it.

    Only unhealthy services are on the path: below a healthy one, it starts again.
    """
    guides = [[b.guides[i : i + 2] for i in range(0, len(b.guides), 2)] for b in branches]
    on_path: set[str] = set()
    for at, branch in enumerate(branches):
        if branch.name not in ends:
            continue
        on_path.add(branch.name)
        here = at
        while guides[here]:
            level = len(guides[here]) - 1
            above = here - 1
            while above >= 0 and len(guides[above]) > level:
                above -= 1
            if above < 0 or health.get(branches[above].name) in (None, Health.HEALTHY):
                break
            guides[here][level] = _ON_PATH.get(guides[here][level], guides[here][level])
            for between in range(above + 1, here):
                passed = guides[between][level]
                guides[between][level] = _PASSED.get(passed, passed)
            on_path.add(branches[above].name)
            here = above
    drawn = [Branch("".join(g), b.name) for g, b in zip(guides, branches, strict=True)]
    return drawn, frozenset(on_path)


def health_of(view: RoleView) -> dict[str, Health]:
    """Return each service's health, as far as the role sees it, in the topology's order."""
    health = dict(view.health or ())
    health.update({item.service: item.health for item in view.services or ()})
    return health


def path_ends(graph: Sequence[ServiceNode], health: Mapping[str, Health]) -> frozenset[str]:
    """Return the unhealthy services whose visible dependencies are all healthy.

    The failure can be followed to them. One of their dependencies may still be the cause if
    the role can't see it; `deepest_unhealthy` has those without such a dependency.
    """
    unhealthy = {name for name, state in health.items() if state is not Health.HEALTHY}
    return frozenset(
        node.name for node in graph if node.name in unhealthy and unhealthy.isdisjoint(node.calls)
    )


def deepest_unhealthy(graph: Sequence[ServiceNode], health: Mapping[str, Health]) -> frozenset[str]:
    """Return the unhealthy services whose dependencies are all visible and healthy.

    The failure originates there, as far as the role can see.
    """
    well = {name for name, state in health.items() if state is Health.HEALTHY}
    return frozenset(
        node.name
        for node in graph
        if node.name in health and node.name not in well and well.issuperset(node.calls)
    )


def unhealthy_minutes(past: ServicePast | None) -> tuple[int, bool]:
    """Return how many minutes a service has been unhealthy, and whether it may be longer."""
    known = [] if past is None else [state for state in past.health if state is not None]
    ill = takewhile(lambda state: state is not Health.HEALTHY, reversed(known))
    since = len(list(ill))
    return since, bool(since) and since == len(known)


class FleetRow(NamedTuple):
    """A service with its place in the tree.

    Attributes:
        entry: Its tier, what it calls, and what the role sees of it.
        signals: The signals that the role sees, by name.
        is_deepest: It is unhealthy, and everything it calls is healthy.
    """

    branch: Branch
    entry: Entry
    health: Health | None
    past: ServicePast | None
    signals: Mapping[str, float]
    is_deepest: bool
    is_on_path: bool


def fleet(view: RoleView) -> list[FleetRow]:
    """Return the services from the users down, with the failing path drawn."""
    health = health_of(view)
    pasts = {past.service: past for past in service_pasts(view, HISTORY_MINUTES) or ()}
    marked = deepest_unhealthy(view.graph, health)
    branches, on_path = failing_path(tree(view.graph), path_ends(view.graph, health), health)
    nodes = {node.find("name"): node.cells for node in entries(view, "graph", "graph")}
    seen = {
        entry.find("service"): entry.cells
        for section in ("health", "services")
        for entry in entries(view, "services", section)
    }
    return [
        FleetRow(
            branch,
            Entry((*nodes[branch.name], *seen.get(branch.name, ()))),
            health.get(branch.name),
            pasts.get(branch.name),
            {
                cell.name: cell.value.value
                for cell in seen.get(branch.name, ())
                if isinstance(cell.value, SignalValue)
            },
            branch.name in marked,
            branch.name in on_path,
        )
        for branch in branches
    ]
