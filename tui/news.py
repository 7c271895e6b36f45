"""What a person has missed since their last turn. No widget in here."""

from __future__ import annotations

from collections.abc import Sequence

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ChaosOpsObservation, Message
from tui.words import ROLE_NAMES, proposal_words


def news(steps: Sequence[EpisodeStep], observation: ChaosOpsObservation) -> tuple[str, list[str]]:
    """A heading, and a line for each thing that is new to the role whose turn it is.

    First what everyone knows, then what was said to the role alone, then its own findings.
    """
    role, view = observation.turn_role, observation.view
    since: list[EpisodeStep] = []
    for step in reversed(steps):
        since.append(step)
        if step.role is role:
            break
    if not since:
        return "The page", [observation.message]
    lines = [step.message for step in reversed(since)]
    before = since[-1].observation.view if since[-1].role is role else None
    inbox = view.inbox[len(before.inbox) :] if before else view.inbox
    findings = view.findings[len(before.findings) :] if before else view.findings
    lines += [_message_line(message) for message in inbox if message.sender is not role]
    lines += [f"Found at {item.target}, {item.source.value}: {item.text}" for item in findings]
    return "Since your last turn", lines


def _message_line(message: Message) -> str:
    asks = f" → proposes {proposal_words(message.proposal)}" if message.proposal else ""
    return f"{ROLE_NAMES[message.sender]} to you: {message.text}{asks}"
