"""What is new to a role since it last looked, as rows."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.models import RoleView
from chaosops.presenter.parts import action_entry, finding_entry, message_entry
from chaosops.presenter.rows import Entry


class Recent(NamedTuple):
    """What came since, each oldest first; of messages, those of others."""

    findings: tuple[Entry, ...]
    landed: tuple[Entry, ...]
    channel: tuple[Entry, ...]
    inbox: tuple[Entry, ...]


def recent(view: RoleView, before: RoleView | None) -> Recent:
    """What the role sees now and did not see before; all of it where it saw nothing before."""
    found = len(before.findings) if before else 0
    known = frozenset(before.landed) if before else frozenset()
    channel = view.channel[len(before.channel) :] if before else view.channel
    inbox = view.inbox[len(before.inbox) :] if before else view.inbox
    return Recent(
        tuple(
            finding_entry(item, view.status, place=place)
            for place, item in enumerate(view.findings[found:], found)
        ),
        tuple(
            action_entry(item, view.status)
            for item in view.landed
            if item not in known and item.lands > item.taken
        ),
        *(
            tuple(message_entry(said, view) for said in messages if said.sender is not view.role)
            for messages in (channel, inbox)
        ),
    )
