"""Passing until something happens: when a person who passes on is asked again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chaosops.env.models import AgentRole, Message, RoleView
from chaosops.play.formatting import ROLE_NAMES, percent, shown
from chaosops.play.wording import proposal_words, verb_word

MOST_ROUNDS: Final = 3
"""How many turns a person passes at most before they are asked again."""

_BUDGETS: Final = (75, 50, 25, 10)


class PassingOn:
    """Passes one role's turns until something happens.

    Each pass is an ordinary turn, which the caller takes.

    Attributes:
        role: Whose turns are passed.
    """

    def __init__(self, view: RoleView) -> None:
        """Begin at a turn of the role, which is the first to be passed."""
        self.role = view.role
        self._before, self._passed = view, 1

    def stops(self, view: RoleView) -> str:
        """Say why the role should decide in its next turn; empty if it passes that one, too."""
        said = next(events(self._before, view), "")
        if not said and self._passed >= MOST_ROUNDS:
            said = f"Nothing happened in {MOST_ROUNDS} rounds."
        self._passed += 1
        return said


def events(before: RoleView, now: RoleView) -> Iterator[str]:
    """Yield what happened between two turns of a role, a sentence each, what matters most first."""
    if now.status.held >= now.status.hold > before.status.held:
        yield "Users have been well for the hold."
    if now.status.frozen and not before.status.frozen:
        yield "Changes are frozen after wrong fixes: each fix needs the Manager's approval now."
    yield from _asked(before, now)
    for item in now.landed:
        if item.lands > item.taken and item not in before.landed:
            what = f"{verb_word(item.action_type)} {shown(item.target, 60)}"
            yield f"Landed: {what} ({ROLE_NAMES[item.role]})."
    for alert in now.alerts:
        if alert not in before.alerts:
            yield f"Alert: {shown(alert.text, 120)} ({shown(alert.service, 60)})."
    yield from _thresholds(before, now)


def _asked(before: RoleView, now: RoleView) -> Iterator[str]:
    """Yield what is asked of the role."""
    if now.role is AgentRole.MANAGER:
        known = {request.number for request in before.requests or ()}
        for request in now.requests or ():
            if request.number not in known:
                move = f"{verb_word(request.action_type)} {shown(request.target, 60)}"
                yield f"{ROLE_NAMES[request.role]} asks you to approve: {move}."
        if now.due is not None and (before.due is None or before.due.due != now.due.due):
            yield "A status update is due."
    asked = {request.number for request in before.agent_requests or ()}
    for each in now.agent_requests or ():
        if each.number not in asked:
            yield f"{shown(each.agent, 60)} asks for your leave: {shown(each.command, 120)}."
    for message in (*now.inbox, *now.channel):
        if message in before.inbox or message in before.channel or message.sender is now.role:
            continue
        said = _said(message, now.role)
        if said:
            yield f"{ROLE_NAMES[message.sender]} {said}"


def _said(message: Message, role: AgentRole) -> str:
    """Word a message that is to the role alone, or a question to all; empty for others."""
    if message.to is role and message.proposal is not None:
        return f"proposes: {proposal_words(message.proposal)}."
    if message.to is role:
        return f"wrote to you: {shown(message.text, 120)}"
    is_question = message.to is None and message.text.rstrip().endswith("?")
    return f"asks: {shown(message.text, 120)}" if is_question else ""


def _thresholds(before: RoleView, now: RoleView) -> Iterator[str]:
    was, status = before.status, now.status
    was_met, is_met = was.users_ok >= was.slo, status.users_ok >= status.slo
    if was_met is not is_met:
        where = "back at" if is_met else "below"
        yield f"Availability is {where} the objective: {percent(status.users_ok)}."
    passed = [bound for bound in _BUDGETS if status.budget <= bound < was.budget]
    if passed:
        yield f"Error budget left: {status.budget} %."
