from __future__ import annotations

import pytest

from chaosops.play.escape_wait import ESCAPE_WAITS, escape_wait


@pytest.mark.parametrize("name", ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"])
def test_over_ssh_the_rest_of_a_key_may_come_later(name: str) -> None:
    assert escape_wait(0, {}) == 0.1
    assert escape_wait(0, {name: ""}) == 0.1
    assert escape_wait(0, {name: "10.0.0.1 22"}) == 0.5


@pytest.mark.parametrize("chosen", ESCAPE_WAITS[1:])
def test_a_wait_that_was_chosen_holds_wherever_one_is(chosen: int) -> None:
    assert escape_wait(chosen, {"SSH_TTY": "/dev/pts/1", "ESCDELAY": "25"}) == chosen / 1000


def test_the_environment_may_say_another_wait_in_milliseconds() -> None:
    assert escape_wait(0, {"ESCDELAY": "25", "SSH_TTY": "x"}) == 0.025


@pytest.mark.parametrize("said", ["", "0", "-5", "soon", "99999", "9" * 5000, "²", "1.5"])
def test_what_is_no_wait_in_the_environment_changes_nothing(said: str) -> None:
    assert escape_wait(0, {"ESCDELAY": said}) == 0.1
