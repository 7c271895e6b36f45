from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.scenarios.glance import builtin_home, file_of, glance_at, glances
from chaosops.scenarios.loader import builtin_folder, find_scenarios


def test_a_glance_at_the_built_in_set_says_what_the_loader_says() -> None:
    opened = {source.id: source for source in find_scenarios()}
    seen = glances()
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
    seen = glance_at(path)
    assert seen is not None
    assert seen.title == title


@pytest.mark.parametrize("text", ["", "title: x\n", "level: easy\ntitle: x\npar: many\n", "\x00"])
def test_what_says_too_little_is_not_listed(tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    assert glance_at(tmp_path / "mine.yaml") is None
    assert glances((tmp_path,)) == glances()


def test_a_file_is_found_by_its_id_or_its_path(tmp_path: Path) -> None:
    built_in = file_of("orders-stall")
    assert built_in is not None
    assert file_of(str(built_in)) == built_in
    assert file_of("no-such-incident") is None
    assert file_of(str(tmp_path / "gone.yaml")) is None
    (tmp_path / "orders-stall.yaml").write_text("id: orders-stall\n", encoding="utf-8")
    assert file_of("orders-stall", (tmp_path,)) is None
