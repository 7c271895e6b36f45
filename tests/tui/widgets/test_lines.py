"""A scrolling list of wrapped rows."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.content import Content
from textual.pilot import Pilot

from tui.widgets.basic.lines import Lines, Row

WORDS = [f"word{number}" for number in range(40)]


class OneList(App[None]):
    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self.lines = lines

    def compose(self) -> ComposeResult:
        yield self.lines


def shown(lines: Lines) -> list[str]:
    """Every line there is, as it is drawn."""
    return [lines.render_line(y - lines.scroll_offset.y).text for y in range(lines.virtual_size[1])]


async def test_no_word_is_lost_when_the_scrollbar_comes() -> None:
    lines = Lines("list")
    async with OneList(lines).run_test(size=(31, 8)) as pilot:
        lines.set_rows([Row(Content("a first row"), 2)])
        await pilot.pause()
        before = lines.scrollable_content_region.width
        lines.set_rows([Row(Content(" ".join(WORDS)), indent) for indent in (0, 2)])
        await pilot.pause()
        assert lines.show_vertical_scrollbar
        assert lines.scrollable_content_region.width == before
        assert " ".join(shown(lines)).split() == WORDS * 2


async def drawn(pilot: Pilot[None]) -> None:
    """Wait until it is drawn, and what is done after that is drawn too."""
    await pilot.pause()
    await pilot.pause()


def many(count: int) -> list[Row]:
    return [Row(Content(f"line {number}")) for number in range(count)]


async def test_a_list_that_follows_is_at_its_end_also_after_it_was_hidden_or_tiny() -> None:
    lines = Lines("list")
    async with OneList(lines).run_test(size=(31, 8)) as pilot:
        lines.set_rows(many(20), follow=True)
        await drawn(pilot)
        assert lines.scroll_offset.y == lines.max_scroll_y > 0
        lines.display = False
        await drawn(pilot)
        lines.set_rows(many(40), follow=True)
        await drawn(pilot)
        lines.display = True
        await drawn(pilot)
        assert lines.scroll_offset.y == lines.max_scroll_y > 20
        for size in ((1, 1), (60, 20)):
            await pilot.resize_terminal(*size)
            await drawn(pilot)
            lines.set_rows(many(50 + size[0]), follow=True)
            await drawn(pilot)
        assert lines.scroll_offset.y == lines.max_scroll_y > 80


async def test_a_list_that_somebody_scrolled_up_stays_there_until_they_go_to_its_end() -> None:
    lines = Lines("list")
    async with OneList(lines).run_test(size=(31, 8)) as pilot:
        lines.set_rows(many(20), follow=True)
        await drawn(pilot)
        lines.focus()
        await pilot.press("home", "down")
        await drawn(pilot)
        lines.set_rows(many(40), follow=True)
        await drawn(pilot)
        assert lines.scroll_offset.y == 1
        await pilot.press("end")
        await drawn(pilot)
        lines.set_rows(many(60), follow=True)
        await drawn(pilot)
        assert lines.scroll_offset.y == lines.max_scroll_y > 40


async def test_the_rows_in_view_are_known_also_where_rows_were_set_that_look_alike() -> None:
    lines = Lines("list")
    async with OneList(lines).run_test(size=(31, 8)) as pilot:
        for count in (20, 20, 24):
            lines.set_rows(many(count))
            await drawn(pilot)
            assert lines.rows_in_view == (0, lines.size.height - 1)
            assert lines.row_at(3) == 3
        lines.scroll_to_row(22)
        await drawn(pilot)
        assert lines.rows_in_view is not None
        assert lines.rows_in_view[0] <= 22 <= lines.rows_in_view[1]
        assert lines.row_at(40) is None
