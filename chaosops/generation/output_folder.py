"""Writes generated situations into a folder, where they can be played, edited and proven."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from chaosops.files import create_file, replace_file, why
from chaosops.generation.candidates import situation_id
from chaosops.generation.errors import GenerationError
from chaosops.generation.fleets import fleet_id
from chaosops.generation.generator import GeneratedSituation
from chaosops.generation.spec import SituationSpec
from chaosops.scenarios.folders import TOPOLOGIES
from chaosops.scenarios.json_schema import SITUATION_SCHEMA_FILE, situation_schema
from chaosops.scenarios.problems import shown_path

_SHOWN: Final = 3


class OutputFolder:
    """A folder for generated situations, with the schema for editors beside them.

    Args:
        replaces: Whether files that are there already are replaced.
    """

    def __init__(self, folder: Path, *, replaces: bool = False) -> None:
        self._folder = folder
        self._replaces = replaces

    def prepare(self, specs: Iterable[SituationSpec]) -> None:
        """Make the folder, and check that nothing in it is in the way of these situations.

        Raises:
            GenerationError: Some are there already, or the folder can't be written.
        """
        paths = [self.path(situation_id(spec, fleet_id(spec))) for spec in specs]
        taken = [path.name for path in paths if path.exists() or path.is_symlink()]
        if taken and not self._replaces:
            names = ", ".join(taken[:_SHOWN])
            more = f" and {len(taken) - _SHOWN} more" if len(taken) > _SHOWN else ""
            raise GenerationError(
                f"{shown_path(self._folder)} already has {names}{more}: choose another folder "
                "with --to or other seeds, or replace them with --force"
            )
        schema = self._folder / SITUATION_SCHEMA_FILE
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if not schema.exists():
                replace_file(schema, json.dumps(situation_schema(), indent=2) + "\n")
        except OSError as error:
            raise self._unwritable(schema, error) from error

    def path(self, situation: str) -> Path:
        """Return the path of a situation's file."""
        return self._folder / f"{situation}.yaml"

    def write(self, made: GeneratedSituation) -> Path:
        """Write a situation, its generated topology first, and return its path.

        Raises:
            GenerationError: A file can't be written, or is there already.
        """
        path = self.path(made.id)
        try:
            if made.topology_text is not None:
                topology = self._folder / TOPOLOGIES / f"{made.topology_id}.yaml"
                topology.parent.mkdir(exist_ok=True)
                self._write_topology(topology, made.topology_text)
            if self._replaces:
                replace_file(path, made.text)
            else:
                create_file(path, made.text)
        except OSError as error:
            raise self._unwritable(path, error) from error
        return path

    def _write_topology(self, path: Path, text: str) -> None:
        """Write a topology that several situations may share.

        Raises:
            GenerationError: Another topology is there already.
        """
        if path.exists() and path.read_text("utf-8") == text:
            return
        if path.exists() and not self._replaces:
            raise GenerationError(
                f"{shown_path(path)} is another topology: choose another folder with --to, or "
                "replace it with --force"
            )
        replace_file(path, text)

    def _unwritable(self, path: Path, error: OSError) -> GenerationError:
        return GenerationError(
            f"cannot write {shown_path(path)}: {why(error)}; choose a folder with --to"
        )
