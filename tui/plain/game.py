"""Plays one incident as lines of text: prints what a role sees, and reads what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from chaosops.agents.policies import expert_policy, pass_turn
from chaosops.env.models import AgentRole, ChaosOpsAction, RoleView
from chaosops.errors import ChaosOpsError
from chaosops.play.action_form.fields import Draft
from chaosops.play.action_form.picks import Speech
from chaosops.play.action_form.typed import (
    CommandError,
    answered,
    begun,
    is_speech,
    is_verb,
    numbered,
    parse,
    with_instance,
    with_line,
    without_finding,
)
from chaosops.play.coach import is_coached
from chaosops.play.formatting import ROLE_NAMES, clock, shown
from chaosops.play.passing import PassingOn
from chaosops.play.plain_dialect import on_one_line, sentence
from chaosops.play.session import Session
from chaosops.play.wording import describe_in
from chaosops.recording.turn_sources import Decider
from chaosops.text import parse_action
from tui.plain.answering import goes_on, has_answer
from tui.plain.asking import PATIENCE, ask_patiently
from tui.plain.board import (
    FIRST_PART,
    digest_lines,
    first_lines,
    standing_lines,
    status_line,
)
from tui.plain.case import CaseLines
from tui.plain.clock import ShotClock
from tui.plain.coaching import advice_line
from tui.plain.console import LEAVE, Console
from tui.plain.guide import WAY_OUT, answer_lines, menu_lines, question_lines
from tui.plain.instruments import Instruments
from tui.plain.queries import Inquiries, offer_lines, offers_now
from tui.plain.rationale import Reasons
from tui.plain.seats import hand_seat, seat_copilot, take_seat

_YES: Final = frozenset({"", "y", "yes", "ok"})
_BACK: Final = frozenset({"back", "b", "cancel"})


class LeftError(Exception):
    """The player leaves, or the input has ended."""


class TooLateError(Exception):
    """A line came after the time for its turn was up."""


class PlainGame:
    """Plays a session to its end, or until the player leaves."""

    def __init__(
        self,
        session: Session,
        console: Console,
        *,
        coach: bool = True,
        curtain: bool = True,
        patience: float = PATIENCE,
    ) -> None:
        """Play a session.

        Args:
            coach: Whether the tutorial's incidents are explained step by step.
            curtain: Whether a person has to confirm before their view is printed,
                if people play several seats.
            patience: Seconds after which a policy that has not answered is named.
        """
        self._session, self._console, self._patience = session, console, patience
        self._clock = ShotClock(session)
        self._last_person: AgentRole | None = None
        self._curtain = curtain
        self._met: set[AgentRole] = set()
        self._passing: PassingOn | None = None
        self._stopped_for = ""
        self._trouble = ""
        self._ahead = ""
        self._knows_way_out = False
        self._coached = coach and is_coached(session.scenario)
        self._expert = expert_policy(session.scenario.seed)
        self._inquiries = Inquiries(session, console)
        self._reasons = Reasons(console)
        self._instruments = Instruments(session, console)
        self._commands: Mapping[str, Callable[[str], None]] = {
            **self._inquiries.by_word,
            **self._reasons.by_word,
            **self._instruments.by_word,
            **CaseLines(session, console).by_word,
            "take": self._take_seat,
            "hand": self._hand_seat,
            "copilot": self._set_copilot,
            "coach": self._toggle_coach,
            "curtain": self._toggle_curtain,
            "pause": self._pause,
        }

    def play(self) -> bool:
        """Play all turns; return False if the player left before the end."""
        try:
            while not self._session.done:
                if self._session.waits_for_person:
                    self._person()
                else:
                    self._teammate()
                self._tell_trouble()
        except LeftError:
            return False
        self._tell_last_minutes()
        return True

    @property
    def _view(self) -> RoleView:
        return self._session.observation.view

    def _teammate(self) -> None:
        session = self._session
        who = f"{ROLE_NAMES[session.role]} ({session.roster.policy_name(session.role)})"
        answer = ask_patiently(
            self._console,
            session.policy(),
            session.observation,
            session.role,
            who=who,
            patience=self._patience,
        )
        session.take_answer(session.turn, answer)

    def _person(self) -> None:
        session = self._session
        if self._passes_again():
            action = pass_turn(session.observation, session.role)
            session.submit(session.turn, action, by_program=not self._console.by_person)
            return
        is_another = len(session.roster.people) > 1 and self._last_person is not session.role
        if is_another and self._curtain:
            self._hand_over(session.role)
        self._last_person = session.role
        session.timing.shown()
        self._reasons.begin_turn()
        self._tell_turn(asks_copilot=session.copilot.policy is not None)
        self._ask_copilot()
        turn = session.turn
        try:
            while session.turn == turn and not session.done and session.waits_for_person:
                self._one_line(turn)
        except TooLateError:
            session.time_out(turn)
            self._console.progressed()
            self._console.say("Time's up: that came too late, and the turn passed.")

    def _passes_again(self) -> bool:
        """Whether the turn passes since nothing has happened; otherwise, note what has."""
        session, passing = self._session, self._passing
        if passing is None or passing.role is not session.role:
            return False
        why = passing.stops(self._view)
        if why:
            self._passing, self._stopped_for = None, f"You stop passing. {why}"
        else:
            self._console.say(f"{ROLE_NAMES[session.role]} passes again: nothing happened.")
        return not why

    def _hand_over(self, role: AgentRole) -> None:
        console = self._console
        console.gap(console.rows)
        said = f"Hand over to {ROLE_NAMES[role]}."
        if self._last_person is not None:
            said += " They shouldn't see what the last role saw."
        console.say(f"{said} If you play every seat yourself, type curtain to turn this off.")
        line = self._read(f"{ROLE_NAMES[role]}, press Enter when you are ready:")
        if line.strip().lower() == "curtain":
            self._toggle_curtain("")
        else:
            self._ahead = line

    def _tell_turn(self, *, asks_copilot: bool = False) -> None:
        """Print what a person should know at the start of a turn.

        Args:
            asks_copilot: Whether the copilot is asked next, so that offers are told with its own.
        """
        session, view, console = self._session, self._view, self._console
        status = view.status
        console.gap()
        console.say(
            f"Turn {session.turn + 1} of {status.turns}, {clock(status, status.minute)}. "
            f"{ROLE_NAMES[view.role]}, it is your turn."
        )
        if self._stopped_for:
            console.say(self._stopped_for)
            self._stopped_for = ""
        console.say(status_line(status, sum(step.reward for step in session.steps)))
        console.say(*digest_lines(session.steps, session.observation, session.late))
        console.say(*standing_lines(view, session.steps))
        if not asks_copilot:
            console.say(*offer_lines(session))
        self._tell_advice()
        if view.role not in self._met:
            self._met.add(view.role)
            console.say(*first_lines(view))
            session.timing.panes_opened([FIRST_PART[view.role]])
            console.say(*menu_lines(view))

    def _tell_advice(self) -> None:
        """Print the tutorial's coach, as far as it applies to the plain mode."""
        if self._coached:
            self._console.say(advice_line(self._session, self._expert))

    def _toggle_coach(self, rest: str) -> None:
        self._coached = not self._coached
        self._console.say(f"The coach is {'here' if self._coached else 'gone'}.")

    def _toggle_curtain(self, rest: str) -> None:
        self._curtain = not self._curtain
        said = "The curtain is on again."
        if not self._curtain:
            said = "The curtain is off. Type 'curtain' to turn it back on."
        self._console.say(said)

    def _pause(self, rest: str) -> None:
        """Stop the clock; if a person types, clear the view."""
        self._session.timing.pause()
        self._console.gap(self._console.rows)
        try:
            self._read("Paused, and clocks are stopped. Press Enter to continue:")
        finally:
            self._session.timing.go_on()
        self._tell_turn()

    def _tell_last_minutes(self) -> None:
        """Print what happened between the person's last turn and the end."""
        lines: list[str] = []
        for step, part in zip(
            reversed(self._session.steps), reversed(self._session.humans), strict=True
        ):
            lines.append(f"- {on_one_line(step.message)}")
            if part.source is not Decider.SCRIPTED:
                break
        self._console.say("In the last minutes:", *reversed(lines))

    def _tell_trouble(self) -> None:
        trouble = self._session.trouble
        if trouble and trouble != self._trouble:
            self._console.say(f"Note: {shown(trouble, 400)}")
        self._trouble = trouble

    def _ask_copilot(self) -> None:
        session = self._session
        policy = session.copilot.policy
        if policy is None:
            return
        name = f"copilot {session.roster.copilot_name(session.role)}"
        # The person can't decide meanwhile, so the time doesn't count.
        session.timing.pause()
        answer = ask_patiently(
            self._console,
            policy,
            session.observation,
            session.role,
            who=f"The {name}",
            patience=self._patience,
            as_copilot=True,
        )
        session.timing.go_on()
        if not session.copilot.suggest(session.turn, answer):
            self._tell_trouble()
        self._console.say(*offer_lines(session))

    def _one_line(self, turn: int) -> None:
        """Read a line, and follow it: print something, or take the turn."""
        session = self._session
        who = self._clock.beside(ROLE_NAMES[session.role])
        line = self._ahead or self._read(f"{who}>")
        self._ahead = ""
        if not line:
            self._console.say("Type an action; 'menu' lists your actions, 'help' everything else.")
            return
        session.timing.touched()
        self._instruments.closed()
        try:
            line = self._whole(line)
            is_answer = self._is_answer(line)
            action = parse_action(line, self._view) if is_answer else self._meant(line)
        except ChaosOpsError as error:
            session.timing.refused()
            self._console.say(sentence(str(error)))
            return
        if action is not None:
            self._console.say(sentence(f"You: {on_one_line(describe_in(self._view, action))}"))
            # A program plays through a pipe, or sends a program's answers.
            by_program = is_answer or not self._console.by_person
            before = self._view
            session.submit(turn, action, self._reasons.thought, by_program=by_program)
            self._console.progressed()
            self._tell_look(before)

    def _tell_look(self, before: RoleView) -> None:
        """Print what an investigation showed, in the turn in which it was made."""
        session = self._session
        view = session.view_of(before.role)
        if len(view.findings) == len(before.findings):
            return
        self._instruments.tell_newest(view)
        if len(session.roster.people) > 1 and not session.done:
            self._ahead = ""
            self._read("Press Enter to continue:")

    def _whole(self, line: str) -> str:
        """Return an answer with all its lines; a person ends it with an empty one."""
        while goes_on(line):
            more = self._read("...")
            if not more and self._console.by_person:
                break
            line = f"{line}\n{more}"
        return line

    def _is_answer(self, line: str) -> bool:
        """Whether a line is a program's answer, and not a command that contains JSON."""
        word = line.partition(" ")[0].lower()
        return has_answer(line) and word not in self._commands and not is_speech(line, self._view)

    def _meant(self, line: str) -> ChaosOpsAction | None:
        """Return the action of a line; None if it asked for something else.

        Raises:
            ChaosOpsError: It has no meaning.
        """
        session = self._session
        view, offers, own = self._view, session.offers, session.own_causes
        word, _, rest = line.partition(" ")
        name, rest = word.lower(), rest.strip()
        if name in self._commands and not (rest and is_verb(name)):
            self._commands[name](rest)
            return None
        if name == "accept":
            return self._accepted(rest)
        if line.lower() == "pass on":
            self._passing = PassingOn(view)
            return pass_turn(session.observation, session.role)
        if line.isdecimal():
            pick = numbered(int(line[:4]), view)
            if pick is None:
                raise CommandError(f"'{shown(line, 20)}' is not in the menu: type 'menu'")
            draft = begun(pick, view, offers, own)
            return self._completed(draft, asked=pick.key != "0")
        also = (*self._commands, "accept", "quit")
        line, bare = without_finding(line)
        line, extra = with_line(line, view, offers)
        line, scope = with_instance(line)
        extra = {**scope, **extra}
        draft = parse(line, view, offers, also, own)
        if bare and draft.pick.speech is Speech.PROPOSE:
            draft = draft.with_evidence(carried=False)
        action = self._completed(draft, asked=False)
        return action and replace(action, args={**action.args, **extra})

    def _completed(self, draft: Draft, *, asked: bool) -> ChaosOpsAction | None:
        """Ask for what is missing, and for a confirmation; None if it is cancelled."""
        while True:
            field = draft.question
            if field is None and not asked:
                return draft.action()
            if field is None:
                self._console.say(sentence("; ".join(draft.preview().splitlines())))
                if draft.attached is not None:
                    self._console.say("Type without to leave the finding out.")
                line = self._read("Enter to confirm, back to go back, cancel to cancel:").lower()
                if line in _YES:
                    return draft.action()
                if draft.evidence is not None and line in ("with", "without"):
                    draft = draft.with_evidence(carried=line == "with")
                    continue
            else:
                asked = True
                self._console.say(*question_lines(field))
                self._tell_way_out()
                line = self._read(f"{draft.summary().replace(' › ', ' ')}:")
            if line.lower() == "help":
                self._console.say(*answer_lines(field))
            elif line.lower() in _BACK:
                before = draft.back()
                if before is None or line.lower() == "cancel":
                    self._console.say("Cancelled.")
                    return None
                draft = before
            elif field is not None:
                try:
                    draft = answered(draft, field, line)
                except CommandError as error:
                    self._session.timing.refused()
                    self._console.say(sentence(str(error)))

    def _tell_way_out(self) -> None:
        """Explain how to leave a question, at the first one of the game."""
        if not self._knows_way_out:
            self._knows_way_out = True
            self._console.say(WAY_OUT)

    def _accepted(self, rest: str) -> ChaosOpsAction:
        offers = offers_now(self._session)
        if not offers:
            raise CommandError("you have no proposals now")
        number = int(rest[:4]) if rest.isdecimal() else 1
        if not 1 <= number <= len(offers):
            raise CommandError(f"there are {len(offers)} proposals: 'proposals' lists them")
        return offers[number - 1].action

    def _read(self, prompt: str) -> str:
        line = self._console.ask(prompt)
        if line is None or line.lower() in LEAVE:
            raise LeftError
        if self._clock.is_over:
            raise TooLateError
        return line

    def _take_seat(self, rest: str) -> None:
        take_seat(self._session, rest)
        self._inquiries.seats()

    def _hand_seat(self, rest: str) -> None:
        hand_seat(self._session, rest)
        self._passing = None
        self._inquiries.seats()

    def _set_copilot(self, rest: str) -> None:
        if seat_copilot(self._session, rest):
            self._ask_copilot()
        else:
            self._console.say("You have no copilot.")
