"""A scrolling list of wrapped rows."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.content import Content

from tui.widgets.lines import Lines, Row

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
