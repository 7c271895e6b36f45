"""Presents what is new to a role since its last turn."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.models import RoleView
from chaosops.presenter.parts import action_entry, finding_entry, message_entry
from chaosops.presenter.rows import Entry


class Recent(NamedTuple):
    """New rows, oldest first. The messages are those of other roles."""

    findings: tuple[Entry, ...]
    landed: tuple[Entry, ...]
    channel: tuple[Entry, ...]
    inbox: tuple[Entry, ...]


def recent(view: RoleView, before: RoleView | None) -> Recent:
    """Present what the role sees now and did not see before.

    Args:
        before: What it saw in its last turn; None before its first.
    """
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
