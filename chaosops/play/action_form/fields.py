"""Building an action step by step, from what the observation allows. Needs no screen.

A `Draft` is a `Pick` with the answers so far; it asks for one `Field` after another until it is an
action.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from chaosops.env.models import (
    EMPTY,
    REPLY,
    ActionType,
    AgentRole,
    ArgumentChoice,
    ChaosOpsAction,
    RoleView,
    UpdateContent,
)
from chaosops.env.models.approvals import needs_approval
from chaosops.env.models.failures import OwnCause
from chaosops.env.models.scope import DRAINS_FOR, INSTANCE
from chaosops.env.models.verbs import ALL_CAUSES, VERBS
from chaosops.play.action_form.choices import (
    CHANGE,
    Choice,
    Field,
    argument_field,
    is_settled,
    key_at,
    keyed,
    target_choices,
)
from chaosops.play.action_form.picks import PROPOSED, Offers, Pick, Speech, can_be_proposed
from chaosops.play.action_form.risks import cost_words, risk_words
from chaosops.play.action_form.teammate_moves import (
    MOVE,
    SUBJECT,
    TeammateMove,
    move_field,
    subject_field,
)
from chaosops.play.action_form.update_choices import UPDATE, update_choices
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, role_word, shown
from chaosops.play.wording import (
    describe,
    finding_word,
    request_words,
    update_words,
    verb_word,
)

OwnCauses = Mapping[str, OwnCause]
"""The causes of authors among those that a diagnosis can name, by name."""

NO_OWN_CAUSES: Final[OwnCauses] = EMPTY


_TO: Final[Mapping[Speech, str]] = {
    Speech.MESSAGE: "to",
    Speech.PROPOSE: "to",
    Speech.SHARE: "with",
}


@dataclass(frozen=True)
class Draft:
    """An unfinished action.

    Attributes:
        answers: Field names and values in the order in which they were given.
        own_causes: The causes of authors among those that a diagnosis can name.
    """

    pick: Pick
    view: RoleView
    offers: Offers
    answers: tuple[tuple[str, Any], ...] = ()
    own_causes: OwnCauses = NO_OWN_CAUSES

    def answer(self, name: str, value: Any) -> Draft:
        """Return the draft with one more answer."""
        return replace(self, answers=(*self.answers, (name, value)))

    def back(self) -> Draft | None:
        """Return the draft without its last answer; None if it has none but those it began with."""
        own = len(self.answers) > len(self.pick.answers)
        return replace(self, answers=self.answers[:-1]) if own else None

    @property
    def question(self) -> Field | None:
        """The next question; None if the draft is complete."""
        given = {name for name, _ in self.answers}
        for field in self._fields():
            if field.name not in given:
                return field
        return None

    @property
    def _in_full(self) -> tuple[tuple[str, Any], ...]:
        """The answers, with a whole move as the answers to the questions about its parts."""
        found: list[tuple[str, Any]] = []
        for name, value in self.answers:
            if isinstance(value, TeammateMove):
                found += value.answers(self._receiver)
            elif name != SUBJECT:
                found.append((name, value))
        return tuple(found)

    @property
    def _receiver(self) -> str:
        """The question that asks for the teammate."""
        return "target" if self.pick.verb.action_type is ActionType.ASSIGN else "to"

    @property
    def attached(self) -> int | None:
        """The place of the finding that goes with a proposal; None for none.

        It is the role's newest one about the object, unless another was chosen or it was left out.
        """
        given = dict(self._in_full)
        if "finding" in given:
            return given["finding"] if self.pick.speech is Speech.PROPOSE else None
        return self._evidence(given)

    @property
    def evidence(self) -> int | None:
        """The place of the finding that a proposal can carry; None for none."""
        return self._evidence(dict(self._in_full))

    def _evidence(self, given: Mapping[str, Any]) -> int | None:
        verb, target = (given.get(f"{PROPOSED}{part}") for part in ("action_type", "target"))
        if self.pick.speech is not Speech.PROPOSE or verb == ActionType.INVESTIGATE.value:
            return None
        places = (i for i, found in enumerate(self.view.findings) if found.target == target)
        return max(places, default=None)

    def with_evidence(self, *, carried: bool) -> Draft:
        """Return the draft with the finding that supports a proposal, or without it."""
        bare = replace(self, answers=tuple(one for one in self.answers if one[0] != "finding"))
        return bare if carried else bare.answer("finding", None)

    def action(self) -> ChaosOpsAction:
        """Return the action so far; complete once `question` is None."""
        given = dict(self._in_full)
        args: dict[str, Any] = dict(self._without_choice())
        inner: dict[str, Any] = {}
        for name, value in self._in_full:
            if name == UPDATE:
                args |= {} if value is None else value.args()
            elif name.startswith(PROPOSED):
                if value is not None:
                    inner[name.removeprefix(PROPOSED)] = value
            elif name != "target" and value not in (None, ""):
                args[name] = value
        if inner:
            proposal: dict[str, Any] = {"action_type": inner.pop("action_type")}
            if "target" in inner:
                proposal["target"] = inner.pop("target")
            if inner:
                proposal["args"] = inner
            cause = self._named_cause(args.get("text"))
            if cause:
                proposal["cause"] = cause
            args["proposal"] = proposal
            if self.attached is not None:
                args["finding"] = self.attached
        if "text" not in given and self.pick.speech is not None:
            args |= self._usual_words(args)
        offered = self.pick.offer.action.args if self.pick.offer is not None else EMPTY
        if REPLY in offered and args.get("text") == offered.get("text"):
            args[REPLY] = offered[REPLY]
        return ChaosOpsAction(self.view.role, self.pick.verb.action_type, given.get("target"), args)

    def _without_choice(self) -> Iterator[tuple[str, Any]]:
        """Yield the arguments that have one value only, which nobody is asked for."""
        for argument in self.pick.verb.arguments:
            only = argument.choices[:1] if argument.required else ()
            if self.pick.speech is None and self._is_settled(argument):
                yield from ((argument.name, value) for value in only)

    @property
    def settled(self) -> tuple[object, ...]:
        """The values that nobody is asked for, since there is no other."""
        return tuple(value for _name, value in self._without_choice())

    def _usual_words(self, args: Mapping[str, Any]) -> dict[str, str]:
        """Return the words of a proposal or a shared finding; none of a plain message."""
        if self.pick.speech is Speech.PROPOSE and "proposal" in args:
            return {"text": request_words(args["proposal"])}
        if self.pick.speech is Speech.SHARE and "finding" in args:
            found = self.view.findings[args["finding"]]
            return {"text": f"See what {found.target} shows ({found.source.value})."}
        return {}

    def preview(self) -> str:
        """Describe the action: when it lands, who learns of it, and what a mistake costs."""
        action = self.action()
        said = self._unfinished(action) or describe(action, findings=self.view.findings)
        # Undoing a shed is never a wrong fix.
        one = action.args.get(INSTANCE) is not None
        risk = (
            ""
            if action.args.get("percent") == 0
            else risk_words(self.pick.verb.action_type, one=one, stake=action.args.get("stake"))
        )
        asks = self.view.requests is not None and needs_approval(
            self.pick.verb.action_type, action.args, frozen=self.view.status.frozen
        )
        key = _SECOND_KEY if asks else ""
        takes = cost_words(self.pick.verb, more=DRAINS_FOR if one else 0)
        return f"{said}\n{key}{takes}{self._audience(action)}{risk}{self._asked(action)}"

    def _asked(self, action: ChaosOpsAction) -> str:
        """Word what it costs and when it lands if the teammate who is asked does it."""
        proposal = action.args.get("proposal")
        if not isinstance(proposal, Mapping):
            return ""
        given = dict(self._in_full)
        role, verb = given.get("to", given.get("target")), proposal.get("action_type")
        offers = self.offers.get(AgentRole(role), ()) if role in set(AgentRole) else ()
        asked = next((offer for offer in offers if offer.action_type.value == verb), None)
        if asked is None or asked.action_type is ActionType.INVESTIGATE:
            return ""
        done = f"{cost_words(asked)}{risk_words(asked.action_type).removeprefix('; ')}"
        return f"\nIf {role_word(role)} does it: {done.removesuffix('; ')}"

    def summary(self) -> str:
        """Join the answers so far: "restart › db"."""
        words, own = [self.pick.label], self.answers[len(self.pick.answers) :]
        if any(isinstance(value, TeammateMove) for _, value in own):
            own = tuple(one for one in own if one[0] != SUBJECT)
        words += [
            finding_word(self.view.findings[value]) if name == "finding" else _answer_word(value)
            for name, value in own
            if value not in (None, "") and (name != "text" or self.pick.speech is Speech.MESSAGE)
        ]
        return " › ".join(words)

    def _unfinished(self, action: ChaosOpsAction) -> str:
        """Describe a message that doesn't say anything yet; empty if it does."""
        subject = dict(self.answers).get(SUBJECT)
        if subject is not None and "proposal" not in action.args:
            return f"{self.pick.label} something at {shown(subject, 60)}"
        if self.pick.speech is None or any(
            action.args.get(name) not in (None, "") for name in ("text", "proposal", "finding")
        ):
            return ""
        to = action.args.get("to")
        return f"{self.pick.label} {_TO[self.pick.speech]} {role_word(to)}" if to else ""

    def _audience(self, action: ChaosOpsAction) -> str:
        if action.action_type is ActionType.COMMUNICATE:
            to = action.args.get("to") or "all"
            if to == "all" and self.pick.speech is Speech.PROPOSE:
                return "only the teammate whom you ask reads it"
            return "everyone reads it" if to == "all" else f"only {role_word(to)} reads it"
        return VERBS[self.pick.verb.action_type].audience

    def _named_cause(self, text: object) -> str:
        """Return the cause that a message names, so that teammates need not parse it."""
        said = text.replace("_", " ") if isinstance(text, str) else ""
        causes = (*ALL_CAUSES, *self.own_causes)
        return next((cause for cause in causes if in_words(cause) in said), "")

    def _argument_field(self, argument: ArgumentChoice, target: object) -> Field:
        field = argument_field(argument, self.view, target)
        if argument.name == "request":
            return field._replace(choices=tuple(map(self._requested, field.choices)))
        if argument.name != "cause" or not self.own_causes:
            return field
        return field._replace(choices=tuple(map(self._defined, field.choices)))

    def _requested(self, choice: Choice) -> Choice:
        """Return the choice of a request, with the move that it is for."""
        for request in self.view.requests or ():
            if request.number == choice.value:
                left = request.lapses - self.view.status.minute
                label = f"{choice.label}  {describe(request.move)}"
                return choice._replace(
                    label=label, note=f"{role_word(request.role)}, lapses in {left} min"
                )
        for asked in self.view.agent_requests or ():
            if asked.number == choice.value:
                left = asked.lapses - self.view.status.minute
                label = f"{choice.label}  {asked.command} at {asked.target}"
                return choice._replace(label=label, note=f"{asked.agent}, lapses in {left} min")
        return choice

    def _defined(self, choice: Choice) -> Choice:
        """Return the choice of a cause, with what its author says of it."""
        own = self.own_causes.get(choice.value)
        if own is None:
            return choice
        return choice._replace(note=shown(own.glossary, 200), aliases=own.aliases)

    def _fields(self) -> list[Field]:
        if self.pick.speech is not None:
            return self._message_fields(self.pick.speech)
        fields: list[Field] = []
        if self.pick.verb.action_type is ActionType.UPDATE and self.view.due is not None:
            options = update_choices(self.view.due.draft, self.pick.verb)
            choices = tuple(Choice(key_at(i), *option) for i, option in enumerate(options))
            fields.append(Field(UPDATE, "what to send", choices))
            if dict(self.answers).get(UPDATE) is not None:
                return fields
        if self.pick.verb.action_type is ActionType.ASSIGN:
            fields += self._whole_fields(self.pick.verb.targets)
            if dict(self.answers).get(SUBJECT) is not None:
                return fields
        if self.pick.verb.targets:
            fields.append(self._target_field(self.pick.verb.targets))
        for argument in self.pick.verb.arguments:
            if argument.name == "proposal":
                fields += self._proposal_fields(dict(self.answers).get("target"))
            elif not self._is_settled(argument):
                fields.append(self._argument_field(argument, dict(self.answers).get("target")))
        return fields

    def _is_settled(self, argument: ArgumentChoice) -> bool:
        return is_settled(argument, self.view, dict(self.answers).get("target"))

    def _target_field(self, targets: tuple[str, ...]) -> Field:
        is_a_role = self.pick.verb.action_type is ActionType.ASSIGN
        title = "to whom" if is_a_role else "on what"
        return Field("target", title, target_choices(self.view, targets))

    def _message_fields(self, speech: Speech) -> list[Field]:
        by_name = {argument.name: argument for argument in self.pick.verb.arguments}
        fields: list[Field] = []
        given = dict(self.answers)
        if speech is Speech.SHARE:
            fields.append(self._finding_field())
        receivers = by_name["to"].choices if "to" in by_name else ()
        if speech is Speech.PROPOSE:
            receivers = tuple(name for name in receivers if name != "all")
            fields += self._whole_fields(receivers)
            if given.get(SUBJECT) is not None:
                return fields
        choices = keyed([(name, role_word(name), "") for name in receivers])
        fields.append(Field("to", "to whom", choices))
        if speech is Speech.PROPOSE:
            fields += self._proposal_fields(given.get("to"))
        if speech is Speech.MESSAGE:
            fields.append(Field("text", "say", ()))
        return fields

    def _whole_fields(self, receivers: Sequence[object]) -> list[Field]:
        """Return the next question for a whole move; none if its parts are given one by one."""
        given = dict(self.answers)
        if MOVE in given or (SUBJECT not in given and self._receiver in given):
            return []
        roles = [AgentRole(str(name)) for name in receivers]
        if SUBJECT not in given:
            return [subject_field(self.view, self.offers, roles)]
        subject, leads = given[SUBJECT], self.pick.speech is None
        if subject is None:
            return []
        return [move_field(self.view, self.offers, roles, subject, leads=leads)]

    def _finding_field(self) -> Field:
        entries = []
        for i, found in enumerate(self.view.findings):
            label = f"{clock(self.view.status, found.minute)} {shown(found.target, 40)}"
            entries.append((i, label, f"{found.source.value}: {shown(found.text, 80)}"))
        choices = tuple(Choice(key_at(i), *entry) for i, entry in enumerate(entries))
        return Field("finding", "which finding", choices[::-1])

    def _proposal_fields(self, receiver: object) -> list[Field]:
        """Yield the fields of a proposal: verb, target and arguments."""
        try:
            role = AgentRole(str(receiver))
        except ValueError:
            return []
        offers = [v for v in self.offers.get(role, ()) if can_be_proposed(v.action_type)]
        title = f"what should {ROLE_NAMES[role]} do"
        verbs = tuple(
            Choice(VERBS[v.action_type].key, v.action_type.value, verb_word(v.action_type))
            for v in offers
        )
        fields = [Field(f"{PROPOSED}action_type", title, verbs)]
        wanted = dict(self.answers).get(f"{PROPOSED}action_type")
        for offer in offers:
            if offer.action_type.value != wanted:
                continue
            if offer.targets:
                choices = target_choices(self.view, offer.targets)
                fields.append(Field(f"{PROPOSED}target", "on what", choices))
            target = dict(self.answers).get(f"{PROPOSED}target")
            for argument in offer.arguments:
                if argument.name != CHANGE or not is_settled(argument, self.view, target):
                    field = self._argument_field(argument, target)
                    fields.append(field._replace(name=PROPOSED + field.name))
        return fields


_SECOND_KEY: Final = "asks the Manager to approve it; then "


def pick_preview(pick: Pick) -> str:
    """Describe a pick before it is filled in: its minutes, its audience and its risk."""
    verb = pick.verb.action_type
    if pick.offer is not None:
        why = f"\n{pick.offer.why}" if pick.offer.why else ""
        return f"{pick.label}{why}\n{cost_words(pick.verb)}{pick.key} does it"
    text = cost_words(pick.verb) + VERBS[verb].audience
    return f"{pick.label}: {text}{risk_words(verb)}"


def _answer_word(value: object) -> str:
    if isinstance(value, TeammateMove):
        return value.words
    if isinstance(value, str) and value in set(AgentRole):
        return role_word(value)
    if isinstance(value, UpdateContent):
        return update_words(value)
    return shown(value, 40).replace("_", " ")
