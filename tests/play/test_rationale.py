from __future__ import annotations

from chaosops.env.models import MAX_TEXT
from chaosops.play.rationale import UNSAID, Thought
from chaosops.recording.events import HumanPart
from chaosops.recording.turn_sources import Decider
from tests.tui.games import HOSTILE


def test_sureness_goes_up_in_steps_and_then_is_unsaid_again() -> None:
    thought, seen = Thought("because"), []
    for _ in range(5):
        thought = thought.surer()
        seen.append(thought.sure)
    assert seen == [25, 50, 75, 100, None]
    assert thought.why == "because"


def test_the_next_step_after_a_number_between_two_steps_is_above_it() -> None:
    assert Thought(sure=0).surer().sure == 25
    assert Thought(sure=60).surer().sure == 75


def test_only_what_was_said_is_shown() -> None:
    assert UNSAID.lines() == []
    assert Thought(sure=0).lines() == ["0 % sure"]
    assert Thought("because", 75).lines() == ["why: because", "75 % sure"]
    assert Thought("x" * 50).lines(10) == ["why: xxxxxxxxx…"]


def test_whatever_was_typed_fits_into_a_recording_and_is_shown_safely() -> None:
    for text in (*HOSTILE, "長" * (MAX_TEXT + 5)):
        part = HumanPart(source=Decider.HUMAN, **Thought(text, 100).fields())
        kept = Thought.kept_in(part)
        assert (kept.sure, len(kept.why)) == (100, min(len(text.replace("\r\n", "\n")), MAX_TEXT))
        for line in (*Thought(text).lines(), *kept.lines()):
            assert not set(line) & set("\x1b\x9b\x07\u202e\u2066\ud800\n\r\t")


def test_what_was_not_said_is_not_in_the_recording() -> None:
    assert HumanPart(source=Decider.HUMAN, **UNSAID.fields()).written == {"source": "human"}
