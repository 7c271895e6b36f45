"""Changes: the changes of a service in the last hours, with their diffs."""

from __future__ import annotations

from typing import Final

from chaosops.env.models.readings import Diff, Part
from chaosops.env.scene import Scene

_BACK: Final = 240
_MOST: Final = 6


def look(scene: Scene, target: int) -> tuple[Part, ...]:
    """Show the newest changes of a service, oldest first."""
    return tuple(
        Diff(
            "diff",
            minute=change.minute,
            service=change.service,
            kind=change.kind.value,
            version=change.version,
            author=change.author,
            ticket=change.ticket,
            text=change.text,
            lines=change.lines,
            touches=change.touches,
        )
        for change in scene.changes(target, scene.minute - _BACK)[-_MOST:]
    )
