"""Finding log lines by their words."""

from __future__ import annotations

import pytest

from chaosops.env.models import AgentRole
from chaosops.play.log_search import FoundLines, lines_found
from tests.tui.games import session


def test_lines_with_all_the_words_are_found_whatever_their_order_the_newest_first() -> None:
    view = session(AgentRole.SRE).observation.view
    newest = (view.logs or ())[-1]
    words = newest.text.split()
    found = lines_found(view, f"{words[-1]} {newest.service} {words[0]}".upper())
    assert newest.text in found.lines[0]
    assert len(found.lines) == min(found.total, 5)


def test_a_service_finds_all_its_lines_and_shows_some() -> None:
    view = session(AgentRole.SRE).observation.view
    logs = view.logs or ()
    names = [line.service for line in logs]
    busiest = max(names, key=names.count)
    found = lines_found(view, busiest)
    assert found.total >= names.count(busiest)
    assert len(found.lines) == min(found.total, 5)


@pytest.mark.parametrize("typed", ["", "a", "  a b ", "no such words anywhere"])
def test_few_letters_and_unknown_words_find_nothing(typed: str) -> None:
    assert lines_found(session(AgentRole.SRE).observation.view, typed) == FoundLines()


def test_a_role_without_logs_finds_none() -> None:
    view = session(AgentRole.MANAGER).view_of(AgentRole.MANAGER)
    assert view.logs is None
    assert lines_found(view, "timeout") == FoundLines()
