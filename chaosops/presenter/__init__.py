"""Presents what a role sees as rows of named cells. Nothing else reads the records of a view.

Prompts and the plain mode join the cells of a row to a line, each in its own dialect, and panes
lay the same cells out in columns. A cell that is added here appears in all of them.
"""

from chaosops.presenter.parts import (
    PARTS,
    entries,
    finding_entry,
    messages,
    status_entry,
)
from chaosops.presenter.recent import Recent, recent
from chaosops.presenter.rows import (
    BeforeAfter,
    Entry,
    Moment,
    NamedCause,
    Number,
    Quote,
    RowCell,
    Section,
    Share,
    SignalValue,
    Signs,
    TakenAction,
    Told,
    Undo,
    Value,
    Weight,
)
from chaosops.presenter.saying import LineOffer, line_offer
from chaosops.presenter.services import ServicePast, service_pasts

__all__ = [
    "PARTS",
    "BeforeAfter",
    "Entry",
    "LineOffer",
    "Moment",
    "NamedCause",
    "Number",
    "Quote",
    "Recent",
    "RowCell",
    "Section",
    "ServicePast",
    "Share",
    "SignalValue",
    "Signs",
    "TakenAction",
    "Told",
    "Undo",
    "Value",
    "Weight",
    "entries",
    "finding_entry",
    "line_offer",
    "messages",
    "recent",
    "service_pasts",
    "status_entry",
]
