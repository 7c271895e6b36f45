"""Presents status updates, and the figures that they can be checked against."""

from __future__ import annotations

from typing import Final

from chaosops.env.models import Journey, Status, StatusUpdate, UpdateDue
from chaosops.presenter.rows import Entry, Moment, Share, Told, Weight, Wording

_DUE: Final = Wording("{time} due, late from {late}, closes {closes}; draft: {draft}")
_UPDATE: Final = Wording("{time} {told}; {effect}, due {due}")
_JOURNEY: Final = Wording("{service}: {failed} of requests fail, {before} five minutes ago")


def due_entry(due: UpdateDue, status: Status) -> Entry:
    """Present an update that is due, with its draft."""
    return _DUE.row(
        Weight.URGENT,
        time=Moment(status, due.due),
        late=Moment(status, due.late),
        closes=Moment(status, due.closes),
        draft=Told(due.draft),
    )


def update_entry(sent: StatusUpdate, status: Status) -> Entry:
    """Present an update that was sent."""
    return _UPDATE.row(
        time=Moment(status, sent.minute),
        told=Told(sent.content),
        effect="fits the figures" if sent.calms else "contradicted by the figures",
        due=Moment(status, sent.due),
    )


def journey_entry(journey: Journey) -> Entry:
    """Present how users fare who come in at a service."""
    return _JOURNEY.row(
        service=journey.service, failed=Share(journey.failed), before=Share(journey.before)
    )
