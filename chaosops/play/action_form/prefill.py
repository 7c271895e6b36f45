"""Turns a complete action into a pick, into answers to the picker's questions, or into keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from chaosops.env.models import ActionType, ChaosOpsAction, RoleView
from chaosops.play.action_form.choices import USUAL, Field
from chaosops.play.action_form.fields import Draft
from chaosops.play.action_form.picks import (
    OFFER_KEYS,
    OFFERED,
    PROPOSED,
    Offers,
    Pick,
    Speech,
    picks,
)
from chaosops.play.action_form.suggestions import Offer, same_act
from chaosops.play.action_form.teammate_moves import MOVE, SUBJECT, TeammateMove
from chaosops.play.action_form.update_choices import UPDATE
from chaosops.play.wording import content_of, describe

_MOST_QUESTIONS: Final = 12


def offered(view: RoleView, wanted: Sequence[Offer]) -> tuple[Pick, ...]:
    """Return what others want the role to do, as picks."""
    verbs = {choice.action_type: choice for choice in view.allowed}
    found = []
    for key, offer in zip(OFFER_KEYS, wanted, strict=False):
        verb = next((v for k, v in verbs.items() if k == offer.action.action_type), None)
        if verb is not None:
            label = f"{offer.who}: {describe(offer.action)}"
            found.append(Pick(key, label, OFFERED, verb, _speech(offer.action), offer=offer))
    return tuple(found)


def _speech(action: ChaosOpsAction) -> Speech | None:
    if action.action_type is not ActionType.COMMUNICATE:
        return None
    if action.args.get("proposal") is not None:
        return Speech.PROPOSE
    return Speech.SHARE if action.args.get("finding") is not None else Speech.MESSAGE


def draft_of(offer: Pick, view: RoleView, offers: Offers) -> Draft | None:
    """Turn an offered action into a draft whose answers can be undone one by one.

    Returns None if the questions can't lead to the action, which can still be taken as it is.
    """
    if offer.offer is None:
        return None
    action = offer.offer.action
    if offer.speech is Speech.PROPOSE:
        # It carries what it was offered with, and nothing of the role's own.
        offer = offer._replace(answers=(("finding", action.args.get("finding")),))
    draft = Draft(offer, view, offers, offer.answers)
    for _ in range(_MOST_QUESTIONS):
        question = draft.question
        if question is None:
            break
        draft = draft.answer(question.name, _value(action, draft, question))
    if draft.question is None and _speech(action) is not None:
        draft = draft.answer("text", action.args.get("text") or "")
    return draft if draft.question is None and same_act(draft.action(), action) else None


def _value(action: ChaosOpsAction, draft: Draft, question: Field) -> Any:
    """Return the answer to a question that leads to an action."""
    name = question.name
    if name == SUBJECT:
        subject = _of_proposal(action, "target")
        if subject not in {choice.value for choice in question.choices}:
            return None
        moves = draft.answer(SUBJECT, subject).question
        return None if moves is None or _move(action, moves) is None else subject
    if name == MOVE:
        return _move(action, question)
    if name == "target":
        return action.target
    if name == UPDATE:
        return content_of(action.args)
    if not name.startswith(PROPOSED):
        return action.args.get(name)
    return _of_proposal(action, name.removeprefix(PROPOSED))


def _move(action: ChaosOpsAction, question: Field) -> TeammateMove | None:
    """Return the choice that asks for what an action proposes or assigns; None if none does."""
    proposal = action.args.get("proposal")
    role = action.target if action.action_type is ActionType.ASSIGN else action.args.get("to")
    if not isinstance(proposal, Mapping):
        return None
    moves = (choice.value for choice in question.choices)
    return next((move for move in moves if move.is_asked_by(role, proposal)), None)


def _of_proposal(action: ChaosOpsAction, inner: str) -> Any:
    """Return a part of what an action proposes; None if it has none of that name."""
    proposal = action.args.get("proposal")
    if not isinstance(proposal, Mapping):
        return None
    if inner in ("action_type", "target"):
        return proposal.get(inner)
    rest = proposal.get("args")
    return rest.get(inner) if isinstance(rest, Mapping) else None


def keys_for(action: ChaosOpsAction, view: RoleView, offers: Offers) -> tuple[str, ...]:
    """Return the keys that make an action in the picker, without the last Enter; empty if none do.

    "type" stands for writing a text, and "enter" for accepting a suggested one.
    """
    speech = _speech(action)
    for pick in picks(view):
        if pick.verb.action_type is action.action_type and pick.speech is speech:
            break
    else:
        return ()
    keys = [pick.key]
    draft = Draft(pick, view, offers)
    while (question := draft.question) is not None and len(keys) < _MOST_QUESTIONS:
        value = _value(action, draft, question)
        if not question.choices:
            keys.append("enter" if question.prefill or not question.required else "type")
        else:
            usual = USUAL.get(question.name.removeprefix(PROPOSED)) if value is None else value
            found = (c.key for c in question.choices if c.value in (value, usual))
            keys.append(next(found, "?"))
        draft = draft.answer(question.name, value)
    return tuple(keys)
