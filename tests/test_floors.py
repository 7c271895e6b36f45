"""The lowest versions in pyproject.toml: every dependency has one, and a reason."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PROJECT: dict[str, Any] = tomllib.loads(TEXT)["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
EVERYTHING = [*PROJECT["dependencies"], *(name for extra in EXTRAS.values() for name in extra)]


@pytest.mark.parametrize("requirement", EVERYTHING)
def test_every_dependency_has_a_lowest_version(requirement: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9._-]+>=[0-9.]+(,<[0-9.]+)?", requirement)


@pytest.mark.parametrize("requirement", EVERYTHING)
def test_every_dependency_says_why_it_is_there(requirement: str) -> None:
    lines = TEXT.partition("\n[project]\n")[2].splitlines()
    places = [i for i, line in enumerate(lines) if f'"{requirement}"' in line]
    assert len(places) == EVERYTHING.count(requirement)
    for place in places:
        reason = lines[place].partition("#")[2] or lines[place - 1].partition("#")[2]
        assert len(reason.split()) >= 2


def test_a_library_whose_private_parts_are_used_is_held_to_one_minor_release() -> None:
    private = re.compile(r"^\s*(?:from|import) (textual|pydantic|rich|click)\b\S*\._", re.M)
    sources = [*ROOT.glob("tui/**/*.py"), *ROOT.glob("chaosops/**/*.py")]
    used = {name for path in sources for name in private.findall(path.read_text("utf-8"))}
    for name in used:
        (requirement,) = (each for each in PROJECT["dependencies"] if each.startswith(name))
        assert re.fullmatch(rf"{name}>=([0-9]+\.[0-9]+)(\.[0-9]+)?,<[0-9]+\.[0-9]+", requirement)


def test_the_core_is_compiled_by_one_version_of_the_compiler() -> None:
    hook = tomllib.loads(TEXT)["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["custom"]
    assert [each for each in hook["needs"] if re.fullmatch(r"mypy\[mypyc\]==[0-9.]+", each)]


def test_the_lowest_versions_are_those_that_ci_installs_and_tries() -> None:
    floors = runpy.run_path(str(ROOT / ".ci" / "floors.py"))["floors"](PROJECT)
    wanted = [*PROJECT["dependencies"], *EXTRAS["dev"], *EXTRAS["parquet"]]
    assert floors == [re.sub(r">=([0-9.]+).*", r"==\1", requirement) for requirement in wanted]
    assert "click==8.5" in floors


def test_ci_tries_them_on_every_python_that_the_project_names() -> None:
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    (loop,) = re.findall(r"^for version in (.*); do$", (ROOT / ".ci" / "run").read_text(), re.M)
    assert loop.split() == named


def test_the_tests_that_ci_tries_them_with_are_there() -> None:
    files = re.findall(r"tests/\S+\.py", (ROOT / ".ci" / "floors").read_text())
    assert len(files) > 8
    assert all((ROOT / name).is_file() for name in files)


def test_a_requirement_without_a_lowest_version_is_refused() -> None:
    floors = runpy.run_path(str(ROOT / ".ci" / "floors.py"))["floors"]
    with pytest.raises(SystemExit, match="has no lowest version"):
        floors({"dependencies": ["click"], "optional-dependencies": {"dev": [], "parquet": []}})
