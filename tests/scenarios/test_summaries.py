from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.scenarios.folders import builtin_folder
from chaosops.scenarios.loader import find_scenarios
from chaosops.scenarios.summaries import builtin_home, file_of, scenario_summaries, summary_of


def test_the_summaries_of_the_built_in_set_say_what_the_loader_says() -> None:
    opened = {source.id: source for source in find_scenarios()}
    seen = scenario_summaries()
    assert [item.id for item in seen] == list(opened)
    for item in seen:
        incident = opened[item.id].render(0)
        assert item.title == incident.title
        assert item.level is incident.level
        assert item.topology == incident.topology
        assert (item.par, item.max_steps) == (incident.par, incident.max_steps)


def test_it_looks_where_the_loader_looks() -> None:
    assert builtin_home() == builtin_folder()


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("title: Plain words", "Plain words"),
        ('title: "Quoted: with a colon"', "Quoted: with a colon"),
        ("title: 'It''s one'", "It's one"),
        ("title: Words   # a comment", "Words"),
        ("title: [/] [@click=app.quit]", "[/] [@click=app.quit]"),
        ("title: \x1b[2J wiped", "\ufffd[2J wiped"),
    ],
)
def test_a_title_is_read_as_yaml_has_it(tmp_path: Path, line: str, title: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(
        f"{line}\nlevel: easy\ntopology: storefront\npar: 20\nmax_steps: 10\n", encoding="utf-8"
    )
    seen = summary_of(path)
    assert seen is not None
    assert seen.title == title


FACTS = "title: Words\nlevel: easy\ntopology: storefront\npar: 20\nmax_steps: 10\n"
LINE = "# a comment of sixty-four bytes, with the end of the line in it\n"


@pytest.mark.parametrize("before", [0, 4_090 - len(FACTS), 4_096, 100_000, 1_040_000])
def test_it_reads_on_until_it_has_found_what_is_listed(tmp_path: Path, before: int) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(LINE * (before // len(LINE)) + FACTS + LINE * 100, encoding="utf-8")
    seen = summary_of(path)
    assert seen is not None
    assert (seen.title, seen.par, seen.max_steps) == ("Words", 20, 10)
    assert seen in scenario_summaries((tmp_path,))


@pytest.mark.parametrize("cut", range(1, len("max_steps: 10\n")))
def test_a_fact_at_the_end_of_the_first_piece_is_read_whole(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "mine.yaml"
    filler = "#" * (4_096 - len(FACTS) + cut - 1) + "\n"
    path.write_text(filler + FACTS + LINE, encoding="utf-8")
    seen = summary_of(path)
    assert seen is not None
    assert seen.max_steps == 10


def test_a_file_that_is_larger_than_the_loader_takes_is_not_read_to_its_end(
    tmp_path: Path,
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(LINE * (2 << 20 >> 6) + FACTS, encoding="utf-8")
    assert summary_of(path) is None


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b""])
def test_a_mark_at_the_beginning_and_windows_lines_do_not_matter(
    tmp_path: Path, start: bytes
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(start + FACTS.replace("\n", "\r\n").encode())
    assert summary_of(path) is not None


@pytest.mark.parametrize("text", ["", "title: x\n", "level: easy\ntitle: x\npar: many\n", "\x00"])
def test_what_says_too_little_is_not_listed(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    assert summary_of(tmp_path / "mine.yaml") is None
    assert scenario_summaries((tmp_path,)) == scenario_summaries()


def test_a_file_is_found_by_its_id_or_its_path(tmp_path: Path) -> None:
    built_in = file_of("paying-ends-in-an-error")
    assert built_in is not None
    assert file_of(str(built_in)) == built_in
    assert file_of("no-such-incident") is None
    assert file_of(str(tmp_path / "gone.yaml")) is None
    (tmp_path / "paying-ends-in-an-error.yaml").write_text(
        "id: paying-ends-in-an-error\n", encoding="utf-8"
    )
    assert file_of("paying-ends-in-an-error", (tmp_path,)) is None
