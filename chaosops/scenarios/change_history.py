"""Makes an entry of the change history: the change behind a cause, or one of its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from chaosops.env.models import ChangeKind
from chaosops.env.models.topology import ServiceSpec
from chaosops.scenarios.agent_policies import DeployPolicy, DrawnController, DrawnRelease
from chaosops.scenarios.cause import ChangeTemplate
from chaosops.scenarios.changes import DrawnChange

_CUT_TO: Final = 0.45
_TIGHT: Final = 1.1

AUTOMATED_FROM: Final = -60
"""The first minute in which the automation acts; the page is minute 0."""


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


def with_releases(
    changes: Sequence[DrawnChange], controllers: Sequence[DrawnController]
) -> tuple[DrawnChange, ...]:
    """Let the changes that deploy bots made be the releases that they promote, minute by minute.

    A release without a change of its own gets one. What is due before the hour that is simulated is
    promoted in its first minute.
    """
    found = list(changes)
    for controller in controllers:
        acts_on, standing = controller.acts_on, controller.standing
        if not isinstance(acts_on, DeployPolicy) or not isinstance(standing, DeployPolicy):
            continue
        own = [change for change in found if change.author == controller.agent]
        found = [change for change in found if change.author != controller.agent]
        first = len(controller.releases) - len(own)
        for k, release in enumerate(controller.releases):
            policy = acts_on if release.is_faulty else standing
            change = own[k - first] if k >= first else _routine(controller.agent, release)
            found.append(
                change.model_copy(
                    update={
                        "minute": max(release.at + policy.canary_minutes, AUTOMATED_FROM),
                        "service": release.service,
                        "version": release.build,
                        "text": change.text.replace(change.version, release.build),
                    }
                )
            )
    return tuple(sorted(found, key=lambda change: (change.minute, change.version)))


def _routine(agent: str, release: DrawnRelease) -> DrawnChange:
    return DrawnChange(
        minute=release.at,
        service=release.service,
        kind=ChangeKind.DEPLOY,
        version=release.build,
        author=agent,
        ticket=f"CHG-{release.build.removeprefix('r')}",
        text=f"{release.build}: newer patch versions of libraries",
        lines=(" canary: complete", "-http-client==4.2.1", "+http-client==4.2.2"),
        restarts=True,
    )


def fill(text: str, words: Mapping[str, object]) -> str:
    """Fill names into a text; unknown ones stay."""
    for name, value in words.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text
