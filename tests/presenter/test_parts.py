"""Every field of a view is part of a row, and what a role does not see is in none."""

from __future__ import annotations

from chaosops.env.models import TURN_ORDER, RoleView
from chaosops.presenter import PARTS, entries, recent
from tests.text.samples import seen

HEAD = {"role", "status", "allowed"}
"""Fields of which prompts and screens have heads and menus instead."""


def test_every_field_of_a_view_belongs_to_one_part() -> None:
    fields = [field for part in PARTS.values() for field in part.fields]
    assert len(set(fields)) == len(fields)
    assert set(fields) | HEAD == set(RoleView._fields)


def test_a_part_that_a_role_does_not_see_has_no_section(easiest: str) -> None:
    for observation in seen(easiest)[: len(TURN_ORDER)]:
        view = observation.view
        for part in PARTS.values():
            assert part.is_seen(view) is any(True for _section in part.sections(view))


def test_what_is_recent_is_what_the_role_did_not_see_before(easiest: str) -> None:
    for observation in seen(easiest):
        view = observation.view
        assert recent(view, view) == ((), (), (), ())
        everything = recent(view, None)
        assert everything.findings == entries(view, "findings", "findings")
        others = [said.sender for said in view.channel if said.sender is not view.role]
        assert [said.find("sender") for said in everything.channel] == others
