"""Opens a draft as the file that it will be, so that everything is checked as an author's is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from chaosops.errors import ScenarioError
from chaosops.generation.draft import SituationDraft, situation_text
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.folders import TOPOLOGIES
from chaosops.scenarios.rendering import ScenarioSource, file_error

_FOLDER: Final = "set"


def open_draft(draft: SituationDraft, proof: Iterable[str] = ()) -> ScenarioSource:
    """Write a draft to a temporary file, check it, and open it.

    Its path is that of the file's name alone, as the file is gone.

    Raises:
        ScenarioError: The file has a problem.
    """
    return open_texts(draft.id, situation_text(draft, proof), draft.fleet.id, draft.fleet.text)


def open_texts(
    situation_id: str, situation: str, topology_id: str, topology: str | None
) -> ScenarioSource:
    """Open the text of a situation, and of its topology if that is not built in.

    Raises:
        ScenarioError: A text has a problem.
    """
    name = f"{situation_id}.yaml"
    with TemporaryDirectory() as outer:
        # A situation's causes are looked up in the folder around its own as well.
        folder = Path(outer, _FOLDER)
        folder.mkdir()
        path = folder / name
        path.write_text(situation, "utf-8")
        if topology is not None:
            (folder / TOPOLOGIES).mkdir()
            (folder / TOPOLOGIES / f"{topology_id}.yaml").write_text(topology, "utf-8")
        source, problems = FileReader(()).incident(path, None)
        if source is None or problems:
            error = file_error(path, problems)
            raise ScenarioError(str(error).replace(str(path), name))
    return replace(source, path=Path(name))
