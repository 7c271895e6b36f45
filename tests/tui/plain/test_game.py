"""The plain mode: the same game as lines, played through pipes."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chaosops.agents.policies import Policy, expert_policy, oracle_policy, steady_policy
from chaosops.agents.runner import Stepper
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    MAX_TEXT,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
)
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.picks import picks
from chaosops.play.action_form.typed import CommandError, parse
from chaosops.play.formatting import ROLE_NAMES
from chaosops.play.passing import MOST_ROUNDS
from chaosops.play.seats import Roster
from chaosops.play.session import Session
from chaosops.play.wording import describe, without_line
from chaosops.presenter import PARTS
from chaosops.recording.reader import read_recording
from chaosops.recording.turn_sources import Decider
from chaosops.text import render_action
from tests.tui.games import HOSTILE, UI, roster, scenario, session
from tests.tui.plain_games import SPELLED_OUT, Watch, console, played, recording_of
from tui.plain.board import part_lines, visible_parts
from tui.plain.console import MAX_LINE, Console, Keyboard
from tui.plain.debrief import ProgressReport, tell_debrief
from tui.plain.game import PlainGame
from tui.plain.guide import WAY_OUT
from tui.plain.score import score_lines

SRE, DEV = AgentRole.SRE, AgentRole.DEV
FORBIDDEN = ("\x1b", "\x9b", "\u202e", "\u2066", "\ud800", "\x07")


def last_action(game: Session, role: AgentRole = SRE) -> ChaosOpsAction:
    return [step.action for step in game.steps if step.role is role][-1]


def test_a_typed_action_takes_the_turn_and_its_finding_is_told() -> None:
    game = session(SRE)
    said = played(game, "look at the runtime of db")
    assert last_action(game) == ChaosOpsAction(
        SRE, ActionType.INVESTIGATE, "db", {"source": "runtime"}
    )
    assert game.turn == 4
    assert "- finding 1: " in said
    assert "SRE, runtime of db: " in said


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("role", "line", "verb", "target", "args"),
    [
        (SRE, "restart db", "restart", "db", {}),
        (SRE, "Restart DB", "restart", "db", {}),
        (SRE, "look runtime db", "investigate", "db", {"source": "runtime"}),
        (SRE, "look db runtime", "investigate", "db", {"source": "runtime"}),
        (SRE, "scale payments to 4", "scale", "payments", {"replicas": 4}),
        (SRE, "scale payments replicas=4", "scale", "payments", {"replicas": 4}),
        (SRE, "shed load edge 25", "shed_load", "edge", {"percent": 25}),
        (SRE, "shed-load edge 25", "shed_load", "edge", {"percent": 25}),
        (SRE, "raise the memory limit of db", "raise_limit", "db", {"limit": "memory"}),
        (SRE, "drain cart instance", "drain", "cart", {"unit": "instance"}),
        (SRE, "drain zone of cart", "drain", "cart", {"unit": "zone"}),
        (SRE, "diagnose db deadlock", "diagnose", None, {"cause": "db_deadlock"}),
        (SRE, "diagnose db_deadlock", "diagnose", None, {"cause": "db_deadlock"}),
        (SRE, "pass", "noop", None, {}),
        (SRE, "0", "noop", None, {}),
        (
            SRE,
            "say hello to you all",
            "communicate",
            None,
            {"to": "all", "text": "hello to you all"},
        ),
        (SRE, "say dev who?", "communicate", None, {"to": "dev", "text": "who?"}),
        (SRE, "say everyone who?", "communicate", None, {"to": "all", "text": "who?"}),
        (DEV, "roll back payments", "rollback", "payments", {}),
        (AgentRole.OVERSIGHT, "flag autoscaler", "flag", "autoscaler", {}),
        (AgentRole.MANAGER, "escalate bank", "escalate", "bank", {}),
        (AgentRole.MANAGER, "resolve", "resolve", None, {}),
    ],
)
def test_actions_are_typed_as_a_person_would_say_them(
    role: AgentRole, line: str, verb: str, target: str | None, args: dict[str, Any]
) -> None:
    game = session(role)
    played(game, line)
    action = last_action(game, role)
    assert (action.action_type, action.target) == (verb, target)
    assert action.args == args
    mine = next(step for step in game.steps if step.role is role)
    assert mine.breakdown.miscommunication_penalty == 0, mine.message


def test_a_proposal_names_who_shall_do_what() -> None:
    game = session(SRE)
    played(game, "propose dev roll back payments")
    assert last_action(game).args["to"] == "dev"
    assert last_action(game).args["proposal"] == {"action_type": "rollback", "target": "payments"}
    assert game.steps[0].breakdown.miscommunication_penalty == 0


@pytest.mark.parametrize(
    ("lines", "finding"),
    [
        (("propose dev roll back payments",), 0),
        (("propose dev roll back payments; without",), None),
        (("propose", "payments", "dev rollback", ""), 0),
        (("propose", "payments", "dev rollback", "without", ""), None),
        (("propose", "payments", "dev rollback", "without", "with", ""), 0),
        (("propose", "db", "dev restart", "with", "back", "dev restart", ""), None),
    ],
)
def test_a_proposal_carries_the_finding_about_its_object_unless_it_is_left_out(
    lines: tuple[str, ...], finding: int | None
) -> None:
    game = session(SRE)
    said = played(game, "look logs payments", *lines)
    action = last_action(game)
    assert action.args["to"] == "dev"
    assert action.args.get("finding") == finding
    assert action.args["proposal"]["target"] == ("db" if "db" in lines else "payments")
    assert ("with logs of payments" in said) is (finding == 0 or "without" in lines)


def test_an_assignment_is_chosen_from_the_menu_at_an_object() -> None:
    game = session(AgentRole.MANAGER)
    said = played(game, "assign", "something else", "back", "payments", "sre scale 4", "")
    action = last_action(game, AgentRole.MANAGER)
    assert (action.target, action.args["proposal"]) == (
        "sre",
        {"action_type": "scale", "target": "payments", "args": {"replicas": 4}},
    )
    assert "Who does what?" in said


def test_work_is_assigned_in_one_line() -> None:
    game = session(AgentRole.MANAGER)
    played(game, "assign sre restart db")
    action = last_action(game, AgentRole.MANAGER)
    assert action.target == "sre"
    assert action.args["proposal"] == {"action_type": "restart", "target": "db"}


def test_a_finding_is_shared_by_the_number_it_is_told_with() -> None:
    game = session(SRE)
    said = played(game, "look runtime db", "findings", "share 1 with dev")
    assert "finding 1:" in said
    assert last_action(game).args["finding"] == 0
    assert last_action(game).args["to"] == "dev"
    assert "You: share runtime of db with Dev" in said
    assert "share runtime of db with Dev" in "".join(score_lines(game.steps, SRE, 99))


@pytest.mark.few(1)
@pytest.mark.parametrize("role", TURN_ORDER)
def test_every_entry_of_the_menu_can_be_played_by_numbers(role: AgentRole) -> None:
    probe = session(role)
    while not probe.waits_for_person:
        probe.take_answer(probe.turn, ask_pass(probe))
    for number, pick in enumerate(picks(probe.observation.view), 1):
        if pick.blocked or pick.key == "0":
            continue
        game = session(role)
        answers = ["all"] if pick.label == "message" else ["1"]
        played(game, str(number), *answers, *["1"] * 5, "10", "", "")
        mine = [step for step in game.steps if step.role is role]
        assert mine, pick.label
        assert mine[0].action.action_type is pick.verb.action_type
        assert mine[0].breakdown.miscommunication_penalty == 0, mine[0].message


def ask_pass(game: Session) -> Any:
    from chaosops.play.session import ask

    return ask(game.policy(), game.observation, game.role)


def test_what_is_missing_is_asked_for_and_can_be_taken_back() -> None:
    game = session(SRE)
    said = played(game, "restart", "back", "restart", "nonsense", "db", "back", "cart", "")
    assert "On what? 1 edge (" in said
    assert "Cancelled." in said
    assert "'nonsense' is not a choice" in said
    assert "lands in" in said
    assert last_action(game).target == "cart"


def test_how_to_leave_a_question_is_said_at_the_first_one_of_a_game_and_in_the_help() -> None:
    game = session(SRE)
    said = played(game, "restart", "cancel", "scale", "db", "cancel", "restart", "db", "back")
    assert said.count(WAY_OUT) == 1
    assert said.index("On what?") < said.index(WAY_OUT) < said.index("Cancelled.")
    assert "Enter to confirm, back to go back, cancel to cancel:" in said
    assert WAY_OUT in played(session(SRE), "help")


def test_help_at_a_question_says_what_can_be_typed_and_asks_again() -> None:
    game = session(SRE)
    said = played(game, "restart", "help", "db", "help", "cancel", "say dev", "help", "hm", "")
    assert said.count("On what?") == 2
    for words in ("these numbers or names", "Enter takes the last suggestion", "Type your message"):
        assert words in said
    assert "not a choice" not in said
    assert last_action(game).args["text"] == "hm"


@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("restrat db", "did you mean 'restart'?"),
        ("helpp", "did you mean 'help'?"),
        ("restart dbb", "did you mean db?"),
        ("restart db quickly", "'quickly' doesn't fit"),
        ("rollback payments", "SRE cannot rollback, Dev can: ask with 'propose dev rollback pay"),
        ("scale payments 7", "there are: 1, 2, 3"),
        ("share 3", "no findings yet"),
        ("accept", "you have no proposals"),
        ("99", "'99' is not in the menu"),
        ("hint 4", "choose hint 1, 2 or 3"),
        ("take nobody", "is not a role"),
        ("copilot hal", "there is no policy 'hal'"),
        ("hand sre expert", "one seat needs a person"),
        ("hand dev hal", "there is no policy 'hal'"),
        ('{"action_type": "dance"}', "cannot 'dance'"),
        ("say dev " + "x" * (MAX_TEXT + 1), f"the limit is {MAX_TEXT}"),
        ("y" * (2 * MAX_LINE), "is not a command"),
        ("\x1b[2J", "is not a command"),
    ],
)
def test_what_makes_no_sense_costs_nothing_and_is_answered_in_one_line(
    line: str, words: str
) -> None:
    game = session(SRE)
    said = played(game, line)
    assert game.turn == 0
    answers = said.rpartition("SRE>")[0].splitlines()
    assert words.lower() in answers[-1].lower()
    assert len(answers[-1]) < 600
    assert not any(char in said for char in FORBIDDEN)


def test_a_refused_line_is_counted_in_the_recording(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    played(game, "dance", "logs", "help", "pass")
    human = recording_of(game).turns[0].human
    assert human.source is Decider.HUMAN
    assert human.invalid_attempts == 1
    assert human.help_opened == 1
    assert human.panes == ("services", "logs")


def test_the_end_of_the_input_keeps_what_was_played(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    out = io.StringIO()
    assert not PlainGame(game, console(["pass", "pass"], out)).play()
    kept = recording_of(game)
    assert len(kept.turns) == 8
    assert kept.footer is None


@pytest.mark.few(1)
@pytest.mark.parametrize("role", TURN_ORDER)
def test_every_part_tells_something_or_says_who_sees_it(role: AgentRole) -> None:
    game = session(role)
    said = played(game, *PARTS, "state", "observation", "score", "menu", "seats", "proposals")
    assert game.turn == TURN_ORDER.index(role)
    for name in PARTS:
        lines = part_lines(name, game.observation.view)
        assert lines[0] in said.splitlines(), name
        hidden = lines == [f"{ROLE_NAMES[role]} can't see the {name}. Ask a teammate."]
        assert hidden is (name not in visible_parts(game.observation.view))
    assert "You are" in said


def test_a_part_can_be_searched() -> None:
    game = session(SRE)
    view = game.observation.view
    found = part_lines("services", view, "pay")
    assert len(found) == 2
    assert found[1].startswith("- payments")


def test_a_hint_is_priced_first_and_paid_with_the_next_action() -> None:
    game = session(SRE)
    said = played(game, "hint 1", "", "hint", "hint 2", "yes", "hint 2", "pass")
    assert "hint 2: the direction, -10.0 points" in said
    assert said.count("Hint 2 costs -10.0 points") == 1
    assert game.scenario.incident.hints.nudge not in said
    assert game.scenario.incident.hints.direction in said
    assert game.steps[0].breakdown.hint_penalty == -10


def proposing(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    wanted = {"action_type": "restart", "target": "db"}
    args = {"to": "sre", "text": "please restart db", "proposal": wanted}
    return ChaosOpsAction(role, ActionType.COMMUNICATE, None, args)


def test_a_teammates_proposal_is_accepted_by_a_word() -> None:
    game = Session(scenario(), roster(SRE, others=proposing), recordings=None, ui=UI)
    said = played(game, "pass", "accept")
    assert "proposes: restart db" in said
    assert last_action(game) == ChaosOpsAction(SRE, ActionType.RESTART, "db")


def test_a_copilot_proposes_and_what_it_said_is_kept(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    said = played(game, "copilot expert", "accept", "pass")
    assert "Copilot expert proposes:" in said
    first, later = (turn.human for turn in recording_of(game).turns if turn.frame.role is SRE)
    assert first.source is Decider.COPILOT
    assert first.suggestion is not None
    assert first.suggestion.accepted
    assert later.suggestion is not None
    assert not later.suggestion.accepted


def test_each_candidate_of_a_copilot_is_told_with_its_reason_and_its_number(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    said = played(game, "copilot expert", "accept 3", "proposals", "accept 4", "accept 2")
    told = [line for line in said.splitlines() if line.startswith("Copilot expert proposes:")]
    assert [line.rpartition(" Type ")[2] for line in told[:3]] == [
        "accept to do it.",
        "accept 2 to do it.",
        "accept 3 to do it.",
    ]
    assert all("tell" in line for line in told[:3])
    assert "There are 3 proposals: 'proposals' lists them." in said
    assert "- accept 2: copilot expert, investigate" in said
    parts = [turn.human for turn in recording_of(game).turns if turn.frame.role is SRE]
    assert [part.suggestion and part.suggestion.taken for part in parts] == [3, 2]
    assert {part.source for part in parts} == {Decider.COPILOT}


def test_a_restart_of_one_instance_is_typed_in_a_line() -> None:
    game = session(SRE)
    played(game, "restart payments instance 2")
    wanted = ChaosOpsAction(SRE, ActionType.RESTART, "payments", {"instance": 2})
    assert last_action(game) == wanted
    assert game.steps[0].message == "SRE: restart payments instance 2, lands in 3 min"


def test_what_is_no_instance_is_refused_before_it_costs_the_turn() -> None:
    game = session(SRE)
    said = played(game, "restart payments instance 0")
    assert "'instance' is a number from 1 on" in said.lower()
    assert not game.steps


def test_offers_are_told_again_after_a_pause() -> None:
    game = session(SRE)
    said = played(game, "copilot expert", "pause", "")
    assert said.count("Type accept 3 to do it.") == 2


def test_a_seat_is_taken_over_and_handed_back() -> None:
    game = session(SRE)
    said = played(game, "take dev", "pass", "", "hand dev expert", "seats")
    assert "Dev you" in said
    assert "Hand over to Dev" in said
    assert "Dev expert" in said
    assert game.roster.people == {SRE}


def test_people_who_share_a_keyboard_hand_over_before_a_view_is_told() -> None:
    game = session(SRE, DEV)
    said = played(game, "", "pass", "", "pass")
    assert said.index("Hand over to Dev") < said.index("Dev, it is your turn")
    assert said.index("SRE, press Enter") < said.index("SRE, it is your turn")
    assert "last role saw" not in said[: said.index("SRE, press Enter")]
    assert said.count("last role saw") == 2


def test_a_policy_that_hangs_is_named_and_can_be_left_behind() -> None:
    gate = threading.Event()

    def hangs(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        gate.wait()
        return ChaosOpsAction(role, ActionType.NOOP)

    mates: dict[AgentRole, Policy] = {AgentRole.OVERSIGHT: hangs}
    game = Session(
        scenario(),
        Roster(frozenset({SRE}), mates, {AgentRole.OVERSIGHT: "slow"}),
        recordings=None,
        ui=UI,
    )
    said = played(game, "pass", "x", "pass", patience=0.01)
    gate.set()
    assert "Oversight (slow) hasn't answered" in said
    assert "Oversight's policy did not answer in turn 2" in said
    assert [step.role for step in game.steps][:4] == list(TURN_ORDER)


def test_a_policy_that_raises_is_named_and_its_seat_passes() -> None:
    def broken(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        raise ValueError("[/] \x1b[2J")

    game = Session(scenario(), roster(SRE, others=broken), recordings=None, ui=UI)
    said = played(game, "pass")
    assert "policy raised ValueError" in said
    assert "\x1b" not in said
    assert game.turn == 4


@pytest.mark.few(1)
@pytest.mark.parametrize("text", HOSTILE)
def test_what_anybody_says_is_told_as_it_is_and_does_nothing(text: str) -> None:
    def rude(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        return ChaosOpsAction(role, ActionType.COMMUNICATE, None, {"to": "sre", "text": text})

    game = Session(scenario(), roster(SRE, others=rude), recordings=None, ui=UI)
    # A line that is no UTF-8 is refused, as another test says.
    sent = text.encode("utf-8", "replace").decode()
    words = " ".join(sent[:1_000].split()) or "nothing"
    said = played(game, f"say {words}", "channel", "score", "state")
    assert game.turn == 4
    assert not any(char in said for char in FORBIDDEN)


def test_a_program_plays_a_whole_incident_by_json(tmp_path: Path) -> None:
    world = scenario()
    best = oracle_policy(world)
    mates = {role: best for role in TURN_ORDER if role is not SRE}
    guide = oracle_policy(world)
    game = Session(world, Roster(frozenset({SRE}), mates, {}), recordings=tmp_path, ui=UI)

    class Player(Console):
        def ask(self, prompt: str) -> str | None:
            action = guide(game.observation, SRE)
            return render_action(action)

    out = io.StringIO()
    player = Player(Keyboard(os.open(os.devnull, os.O_RDONLY)), out, typed=False)
    assert PlainGame(game, player).play()
    assert game.resolved
    assert "In the last minutes:" in out.getvalue()
    assert recording_of(game).footer is not None


_SOLVED = (
    "look runtime catalog",
    "look runtime db",
    "share 2 with all",
    "propose to Dev: disable feature catalog",
)
"""What ends the first incident of the tutorial beside teammates."""


def test_the_debrief_tells_what_the_screen_shows() -> None:
    game = Session(
        Scenario.load("first-shift-1-product-pages"),
        roster(SRE, others=expert_policy(1)),
        recordings=None,
        ui=UI,
    )
    played(game, *_SOLVED, *["pass"] * 4)
    assert game.done
    out = io.StringIO()
    tell_debrief(console([], out), game)
    said = out.getvalue()
    debrief = game.scenario.incident.debrief
    assert "Resolved in" in said
    assert f"- resolved: {100:+.1f}" in said
    for words in (debrief.title, debrief.happened, debrief.misleading, debrief.lesson):
        assert words in said
    assert "SRE (you): investigate runtime of catalog" in said
    assert "runtime of db, SRE, from" in said
    assert "The expert resolved it" in said
    assert "To share: ChaosOps first-shift-1-product-pages (seed 0), SRE, resolved in " in said
    assert re.search(r"\nStars: [0-3] of 3\.\n", said)
    assert re.search(r", SRE, resolved in \d+ min, [0-3] of 3 stars, score ", said)
    assert not SPELLED_OUT.search(said)


def test_how_far_the_expert_is_is_said_now_and_then() -> None:
    watch, out = Watch(), io.StringIO()
    progress = ProgressReport(console([], out), watch)
    for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        watch.now += 1.6
        assert progress.tick(share)
    assert out.getvalue() == "20 percent done.\n60 percent done.\n"


def test_output_without_unicode_is_spelled_out() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii", errors="strict")
    console([], io.StringIO())
    Console(Keyboard(os.open(os.devnull, os.O_RDONLY)), out, typed=False).say("a… → 長")
    assert raw.getvalue() == b"a... -> \\u9577\n"


def test_the_coach_names_what_can_be_typed_in_the_first_incident() -> None:
    world = Scenario.load("first-shift-1-product-pages")
    typed = (
        "investigate runtime of catalog",
        "investigate runtime of db",
        "diagnose db deadlock at catalog (certain)",
        "share 2 with all",
        "propose to Dev: disable feature catalog",
        "pass",
    )
    game = Session(world, roster(SRE, others=steady_policy(0)), recordings=None, ui=UI)
    said = played(game, *typed)
    for line in typed:
        assert f" Type: {line}. 'coach' turns the coach off." in said
    assert game.resolved
    other = Session(world, roster(SRE), recordings=None, ui=UI)
    assert "Coach:" not in played(other, "coach", "pass").partition("The coach is gone.")[2]


_PROBE = """
import sys
from pathlib import Path
from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from tui import plain
from chaosops.play.setup import Setup
scenario = Scenario.load("first-shift-1-product-pages")
code = plain.play(scenario, Setup.of((AgentRole.SRE,)), recordings=Path(sys.argv[1]))
assert not any(name.split(".")[0] in {"textual", "rich"} for name in sys.modules), "a screen"
sys.exit(code)
"""


def piped(folder: Path, text: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A game of its own process, with pipes for all three streams."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LC_")}
    config = {"XDG_CONFIG_HOME": str(folder / "config"), "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", _PROBE, str(folder)],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**clean, **config, "TERM": "dumb", "NO_COLOR": "1", **environment},
    )


def test_a_whole_incident_is_played_through_pipes_without_a_screen(tmp_path: Path) -> None:
    script = "\n".join((*_SOLVED, *["pass"] * 12, "5", "fine", ""))
    done = piped(tmp_path, script)
    assert done.stderr == ""
    assert done.returncode == 0
    assert "Resolved in" in done.stdout
    # A program has played, which earns no stars.
    assert "Stars: " not in done.stdout
    assert "of 3 stars" not in done.stdout
    (path,) = tmp_path.glob("*.jsonl")
    recording = read_recording(path)
    assert recording.footer is not None
    assert recording.footer.resolved
    assert recording.header.consent is None
    assert recording.header.ui.name == "chaosops-plain"
    mine = [turn.human.source for turn in recording.turns if turn.frame.role is SRE]
    assert set(mine) == {Decider.LLM}


def test_a_pipe_that_ends_at_once_leaves_a_game_to_resume(tmp_path: Path) -> None:
    done = piped(tmp_path, "", LANG="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Saved after turn 0." in done.stdout
    assert "\x1b" not in done.stdout


def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", _PROBE, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment, "XDG_CONFIG_HOME": str(tmp_path / "config")},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    process.stdin.write(b"state\n" * 200 + b"pass\n" * 40)
    process.stdin.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 1


def test_words_in_any_order_make_the_same_action() -> None:
    game = session(SRE)
    view, offers = game.observation.view, game.offers
    one = parse("investigate db source logs".replace("source ", ""), view, offers).action()
    other = parse("look logs of db", view, offers).action()
    assert one == other
    with pytest.raises(CommandError, match="is not a command"):
        parse(json.dumps("db"), view, offers)


def as_typed(action: ChaosOpsAction) -> ChaosOpsAction:
    """The action without a line, and a proposal without arguments that are none."""
    action = without_line(action)
    wanted = action.args.get("proposal")
    if wanted is None or wanted.get("args"):
        return action
    proposal = {name: value for name, value in wanted.items() if name != "args"}
    return replace(action, args={**action.args, "proposal": proposal})


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "name", ["paying-ends-in-an-error", "checkout-times-out", "errors-come-and-go"]
)
def test_an_action_can_be_typed_as_the_game_names_it(name: str) -> None:
    world = Scenario.load(name, 3)
    stepper = Stepper(ChaosOpsEnvironment(), world)
    policies = seat_policies(dict.fromkeys(TURN_ORDER, "expert"), world)
    offers = Session(world, roster(SRE), recordings=None, ui=UI).offers
    typed = 0
    while not stepper.done:
        view, role = stepper.observation.view, stepper.role
        action = policies[role](stepper.observation, role)
        bare = as_typed(action)
        if action.action_type not in (ActionType.COMMUNICATE, ActionType.UPDATE):
            assert parse(describe(bare).replace(":", ""), view, offers).action() == bare
            typed += 1
        stepper.take(action)
    assert typed > 5


def test_the_glossary_is_free_and_is_counted_as_help(tmp_path: Path) -> None:
    game = session(AgentRole.SRE, folder=tmp_path)
    said = played(game, "glossary cpu", "pass")
    assert "CPU (Signals): " in said
    assert recording_of(game).turns[0].human.help_opened == 1


@pytest.mark.parametrize("role", AgentRole)
def test_no_command_hides_a_verb_that_has_words_after_it(role: AgentRole) -> None:
    view = session(role).view_of(role)
    verbs = [
        pick
        for pick in picks(view)
        if pick.speech is None and pick.verb.targets and not pick.verb.arguments
    ]
    assert verbs
    for pick in verbs:
        game = session(role)
        typed = f"{pick.label} {pick.verb.targets[0]}"
        played(game, typed, "quit")
        taken = next(step.action for step in game.steps if step.role is role)
        assert taken.action_type is pick.verb.action_type, typed


def test_a_question_about_what_happened_is_answered() -> None:
    game = session(AgentRole.OVERSIGHT)
    agent = (game.view_of(AgentRole.OVERSIGHT).agents or ("",))[0]
    said = played(game, f"who paused {agent}?", f"pause {agent}", f"who paused {agent}?", "who")
    assert f"Nothing that you see matches 'who paused {agent}?'. Manager sees impact" in said
    assert f"Oversight: pause {agent.replace('_', ' ')}, lands" in said
    assert "Find what?" in said


def test_words_that_nothing_has_are_told_with_who_sees_more() -> None:
    said = played(session(SRE), "who promoted nothing", "find no such words", "quit")
    assert "Nothing that you see matches 'who promoted nothing'. Manager sees impact" in said
    assert "Nothing that you see matches 'no such words'.\n" in said


def test_the_menu_of_a_service_tells_what_each_move_does_and_risks() -> None:
    said = played(session(SRE), "menu db", "menu nowhere", "quit")
    assert "db, database, " in said
    assert "- look metrics db: its signals over the last hour, by instance\n" in said
    assert "- restart db (1-2 min): replaces its instances; what they hold is gone" in said
    assert "Everyone sees it; costs 25 where it neither clears nor eases anything:" in said
    assert "ou can do nothing at 'nowhere': there is edge, " in said


def test_pass_on_passes_until_something_happens_three_rounds_at_most(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    said = played(game, "pass on")
    mine = [step for step in game.steps if step.role is SRE]
    assert 1 <= len(mine) <= MOST_ROUNDS
    assert {step.action.action_type for step in mine} == {ActionType.NOOP}
    assert "SRE passes again: nothing happened.\n" * (len(mine) > 1) in said
    assert "You stop passing. " in said
    humans = [turn.human for turn in recording_of(game).turns if turn.frame.role is SRE]
    assert {human.source for human in humans} == {Decider.HUMAN}
    # Nobody saw the turns that were passed on.
    assert [human.shown_at_ms is None for human in humans] == [False, *[True] * (len(humans) - 1)]


def test_who_is_asked_something_decides_in_the_next_turn() -> None:
    game = Session(scenario(), roster(SRE, others=proposing), recordings=None, ui=UI)
    said = played(game, "pass on", "accept")
    mine = [step.action.action_type for step in game.steps if step.role is SRE]
    assert mine == [ActionType.NOOP, ActionType.RESTART]
    assert re.search(r"You stop passing\. \w+ proposes: restart db\.", said)


def test_what_ended_the_passing_is_told_once_the_seat_is_handed_over() -> None:
    game = Session(scenario(), roster(SRE, DEV, others=proposing), recordings=None, ui=UI)
    said = played(game, "", "pass on", "", "pass", "")
    assert said.index("You stop passing") > said.rindex("SRE, press Enter")
    assert "Dev, press Enter" in said


def test_a_seat_that_was_handed_away_passes_on_no_more() -> None:
    game = session(SRE, DEV)
    said = played(game, "", "pass on", "", "hand sre noop", "take sre", "pass", "", "pass")
    assert "passes again" not in said
