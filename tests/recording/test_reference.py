import json
from pathlib import Path

from chaosops.env.models import TURN_ORDER
from chaosops.recording.layout import columns, view_parts
from chaosops.recording.reference import COMMAND, MEASURING_ONLY, SEEN_BY, VIEW, page
from chaosops.recording.reference_rows import ROWS
from tests.recording.games import outcome, record

PAGE = Path(__file__).parents[2] / "docs" / "recordings.md"


def test_the_page_is_the_one_that_the_models_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), f"stale: {COMMAND}"


def test_every_part_of_a_view_and_every_column_is_described() -> None:
    assert set(VIEW) == set(view_parts())
    assert {name: tuple(about) for name, about in ROWS.items()} == columns()


def test_what_the_page_says_of_who_sees_a_part_is_so() -> None:
    for frame in outcome().steps:
        view = frame.observation.view
        for name in set(view_parts()) - MEASURING_ONLY:
            sees = getattr(view, name) is not None
            assert sees is (frame.role in SEEN_BY.get(name, TURN_ORDER)), name


def test_a_log_has_no_field_that_the_page_leaves_out(tmp_path: Path) -> None:
    text = page()
    lines = record(tmp_path).read_text().splitlines()
    header, turn, footer = (json.loads(lines[i]) for i in (0, 1, -1))
    for part in (
        header["header"], header["header"]["ui"], turn, turn["frame"], turn["action"],
        turn["human"], turn["frame"]["observation"], turn["frame"]["observation"]["view"],
        footer["footer"],
    ):  # fmt: skip
        for name in part:
            assert f"`{name}`" in text or f".{name}`" in text or f'"{name}"' in text, name
