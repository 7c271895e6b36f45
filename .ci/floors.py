"""Prints the lowest versions that pyproject.toml allows, one requirement a line, for pip."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)(?:\[[a-z,]+\])?>=([0-9][0-9a-zA-Z.]*)(?:,.*)?")
_EXTRAS = ("dev", "parquet")


def floors(project: dict[str, object]) -> list[str]:
    """`name==version` for each dependency and each of the tools that the tests need.

    Raises:
        SystemExit: A requirement has no lowest version.
    """
    extras = project["optional-dependencies"]
    named = [*project["dependencies"], *(each for extra in _EXTRAS for each in extras[extra])]
    found = []
    for requirement in named:
        match = _REQUIREMENT.fullmatch(requirement)
        if match is None:
            raise SystemExit(f"pyproject.toml: {requirement!r} has no lowest version: add >=")
        found.append(f"{match[1]}=={match[2]}")
    return found


if __name__ == "__main__":
    page = Path(__file__).parents[1] / "pyproject.toml"
    project = tomllib.loads(page.read_text(encoding="utf-8"))["project"]
    sys.stdout.write("".join(f"{floor}\n" for floor in floors(project)))
