"""Makes an entry of the change history: the change behind a cause, or one of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chaosops.env.models import ChangeKind
from chaosops.env.models.topology import ServiceSpec
from chaosops.scenarios.cause import ChangeTemplate
from chaosops.scenarios.changes import DrawnChange

_CUT_TO: Final = 0.45
_TIGHT: Final = 1.1


def sizes(service: ServiceSpec) -> dict[str, str]:
    """Return sizes for a service that changes set, each too small for its usual load."""
    cores = service.servers / 2.0
    return {
        "cpu_limit": str(int(cores * _CUT_TO * 1000.0)),
        "cpu_quota": f"{service.replicas * cores:g}",
        "probe_ms": str(max(5, int(service.base_ms * _TIGHT))),
    }


def drawn_change(
    template: ChangeTemplate,
    service: str,
    minute: int,
    ticket: str,
    words: Mapping[str, str],
    *,
    guilty: bool,
) -> DrawnChange:
    """Fill in a template.

    Args:
        guilty: Whether it is the change behind the cause that was drawn.
    """
    own = guilty or not template.innocent
    lines = template.lines if own else template.innocent
    touches = template.touches if own else template.innocent_touches
    sets = template.sets if own else template.innocent_sets
    is_deploy = template.kind is ChangeKind.DEPLOY
    return DrawnChange(
        minute=minute,
        service=service,
        kind=template.kind,
        version=words["build"] if is_deploy else ticket,
        author=fill(template.author, words),
        ticket=ticket,
        text=fill(template.text, words),
        lines=tuple(fill(line, words) for line in lines),
        touches=tuple(fill(name, words) for name in touches),
        sets=tuple((item.name, float(fill(item.value, words))) for item in sets),
        restarts=template.restarts or is_deploy,
    )


def fill(text: str, words: Mapping[str, object]) -> str:
    """Fill names into a text; unknown ones stay."""
    for name, value in words.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text
