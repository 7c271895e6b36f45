"""A recorded game that is played on from one of its turns."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from chaosops.env.engine import ENGINE
from chaosops.env.models import AgentRole
from chaosops.errors import RecordingError
from chaosops.play.forks import fork_of
from chaosops.play.session import Session
from chaosops.recording.events import Consent, ConsentScope, Player
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from tests.datasets.games import resealed
from tests.recording.games import record
from tests.tui.games import UI, roster

ACTIONS, WORDS = ConsentScope.ACTIONS, ConsentScope.FREE_TEXT


def player(*scopes: ConsentScope, name: str = "3f9a2c41d0b7e586") -> Player:
    return Player(name, Consent(version=1, scopes=scopes, given_at_ms=1))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("origin", "now", "agreed"),
    [
        (player(ACTIONS, WORDS), player(ACTIONS, WORDS), (ACTIONS, WORDS)),
        (player(ACTIONS), player(ACTIONS, WORDS), (ACTIONS,)),
        (player(ACTIONS, WORDS), player(ACTIONS), (ACTIONS,)),
        (player(ACTIONS, WORDS, name="0" * 16), player(ACTIONS, WORDS), None),
        (None, player(ACTIONS, WORDS), None),
        (player(ACTIONS), None, None),
    ],
    ids=["both", "no words then", "no words now", "somebody else", "nobody then", "nobody now"],
)
def test_a_fork_may_be_used_only_as_far_as_both_games_may(
    origin: Player | None,
    now: Player | None,
    agreed: tuple[ConsentScope, ...] | None,
    tmp_path: Path,
) -> None:
    fork = fork_of(read_recording(record(tmp_path, turns=6, player=origin)), 4)
    whose = fork.player(now)
    assert (None if whose is None else whose.consent.scopes) == agreed


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("turn", "agreed"), [(3, None), (0, (ACTIONS, WORDS))], ids=["with its turns", "anew"]
)
def test_a_game_that_was_resumed_gives_nothing_away_that_it_may_not(
    turn: int, agreed: tuple[ConsentScope, ...] | None, tmp_path: Path
) -> None:
    resumed = reopen(record(tmp_path, turns=6, player=None))
    now = player(ACTIONS, WORDS)
    scenario, people = resumed.stepper.scenario, roster(AgentRole.SRE)
    with closing(
        Session(scenario, people, recordings=tmp_path, ui=UI, player=now, resumed=resumed)
    ) as session:
        fork = session.fork(turn)
        fork.close()
    assert fork.recording is not None
    consent = read_recording(fork.recording).header.consent
    assert (None if consent is None else consent.scopes) == agreed


def test_a_fork_of_what_policies_played_is_the_players_own(tmp_path: Path) -> None:
    nobody: tuple[AgentRole, ...] = ()
    fork = fork_of(read_recording(record(tmp_path, turns=6, people=nobody)), 4)
    now = player(ACTIONS, WORDS)
    assert fork.player(now) == now


def test_a_game_of_another_engine_is_not_played_on(tmp_path: Path) -> None:
    path = resealed(
        record(tmp_path, turns=6), 1, lambda event: event["header"].update(engine=ENGINE + 1)
    )
    with pytest.raises(
        RecordingError, match=f"cannot be played on: recorded with engine {ENGINE + 1}"
    ):
        fork_of(read_recording(path), 4)
