"""The keys of the incident screen. None of them is the key of a pick (see `PICK_KEYS`)."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding

INCIDENT_KEYS: Final[tuple[Binding, ...]] = (
    Binding(
        "left_square_bracket",
        "pane(-1)",
        "Previous pane",
        show=False,
        id="incident.previous_pane",
        tooltip="Show the previous pane",
    ),
    Binding(
        "right_square_bracket",
        "pane(1)",
        "Next pane",
        id="incident.next_pane",
        tooltip="Show the next pane",
    ),
    Binding(
        "space",
        "select",
        "Select",
        id="incident.select",
        tooltip=(
            "Select a service, an agent, a line or a finding; Enter opens it, or lists what you "
            "can do there"
        ),
    ),
    Binding(
        "b",
        "case_board",
        "Case board",
        show=False,
        id="incident.case_board",
        tooltip="Mark the causes that fit a service, pin readings, and diagnose; it is free",
    ),
    Binding(
        "g",
        "app.glossary",
        "Glossary",
        show=False,
        id="incident.glossary",
        tooltip="Look up a signal, an action, a cause or a term",
    ),
    Binding("h", "hint", "Hint", id="incident.hint", tooltip="Get a hint; it costs points"),
    Binding(
        "i",
        "digest",
        "Updates",
        show=False,
        id="incident.news",
        tooltip="See what happened since your last turn, and what is still in force",
    ),
    Binding(
        "full_stop",
        "pass_on",
        "Pass on",
        show=False,
        key_display=".",
        id="incident.pass_on",
        tooltip="Pass until something happens, at most three rounds; again to stop",
    ),
    Binding("p", "pause", "Pause", id="incident.pause", tooltip="Hide the board; stop clocks"),
    Binding(
        "t",
        "seats",
        "Seats",
        show=False,
        id="incident.seats",
        tooltip="Take over a seat, hand one to a policy, or get a copilot",
    ),
    Binding(
        "f",
        "fast",
        "Fast",
        show=False,
        id="incident.fast",
        tooltip="Fast-forward through the others' turns, or stop",
    ),
    Binding(
        "c",
        "coach",
        "Coach",
        show=False,
        id="incident.coach",
        tooltip="Show or hide the tutorial's coach",
    ),
    Binding(
        "question_mark",
        "explain",
        "Explain",
        id="incident.explain",
        tooltip="Explain the focused pane",
    ),
    Binding(
        "x",
        "pass_for",
        "Pass for them",
        id="incident.pass_for",
        tooltip="Pass for a teammate who doesn't answer",
    ),
)
