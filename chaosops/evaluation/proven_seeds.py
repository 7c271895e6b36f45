"""Proven seeds: pairs of situation and seed on which the expert resolves, and no shortcut pays.

They ship with the package as data, since proving one takes seconds. A pair holds for the engine
and the content it was proven on; where either differs, it is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from chaosops.env.engine import ENGINE
from chaosops.env.models import Difficulty
from chaosops.errors import ChaosOpsError
from chaosops.files import read_bytes, why

if TYPE_CHECKING:
    from chaosops.scenarios.rendering import ScenarioSource

LEVELS: Final = (Difficulty.EASY, Difficulty.MEDIUM, Difficulty.HARD)
"""The levels that have proven seeds; the tutorial's lessons have one truth each."""

FIRST_SEED: Final = 1_000
"""The first seed that is tried: the list of incidents counts from 0, and shows others."""

_COMMAND: Final = "chaosops scenarios seeds --write FILE"
_MOST_BYTES: Final = 1 << 20
_HASH: Final = 16


class ProvenSeedsError(ChaosOpsError):
    """The proven seeds can't be used: the file is broken, or of something else."""


class ProvenSituation(NamedTuple):
    """The proven seeds of a situation.

    Attributes:
        content: The beginning of the hash of the content that they were proven on.
    """

    id: str
    level: Difficulty
    topology: str
    content: str
    seeds: tuple[int, ...]

    def is_of(self, source: ScenarioSource) -> bool:
        """Whether they were proven on the content of a situation's file."""
        return source.content_hash.startswith(self.content)

    def require(self, source: ScenarioSource) -> None:
        """Check that they were proven on the content of a situation's file.

        Raises:
            ProvenSeedsError: They were proven on another one.
        """
        if not self.is_of(source):
            raise ProvenSeedsError(
                f"the proven seeds of {self.id} are of another version of it: install chaosops "
                f"again; if you changed the incident, run '{_COMMAND}'"
            )


class ProvenSeeds(NamedTuple):
    """All proven seeds.

    Attributes:
        engine: The number of the engine that they were proven on.
        situations: By id.
    """

    engine: int
    situations: Mapping[str, ProvenSituation]

    @property
    def is_current(self) -> bool:
        """Whether they are of this engine."""
        return self.engine == ENGINE

    @property
    def fingerprint(self) -> int:
        """A number from 0 to 2**32 - 1 that differs if anything here does."""
        return crc32(as_text(self).encode())

    def require_engine(self) -> None:
        """Check that they are of this engine.

        Raises:
            ProvenSeedsError: They are of another one.
        """
        if not self.is_current:
            raise ProvenSeedsError(
                f"the proven seeds are of engine {self.engine}, and this is engine {ENGINE}: "
                f"install chaosops again; if you changed the simulator, run '{_COMMAND}'"
            )


def shipped_path() -> Path:
    """Return the path of the file that ships with the package."""
    return Path(__file__).with_name("proven_seeds.json")


@lru_cache(maxsize=1)
def shipped_seeds() -> ProvenSeeds:
    """Return the proven seeds that ship with the package; of whatever engine they are.

    Raises:
        ProvenSeedsError: The file is missing or broken.
    """
    return read_seeds(shipped_path())


def read_seeds(path: Path) -> ProvenSeeds:
    """Read a file of proven seeds.

    Raises:
        ProvenSeedsError: It can't be read, or is none.
    """
    try:
        data = json.loads(read_bytes(path, _MOST_BYTES))
        situations = {name: _situation(name, found) for name, found in data["situations"].items()}
        return ProvenSeeds(_number(data["engine"]), situations)
    except OSError as error:
        raise _broken(path, why(error)) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _broken(path, "it is none, or was edited") from error


def as_text(seeds: ProvenSeeds) -> str:
    """Return the text of a file of proven seeds, with a line for each situation."""
    lines = [
        f"    {json.dumps(one.id)}: "
        + json.dumps(
            {
                "level": one.level.value,
                "topology": one.topology,
                "content": one.content,
                "seeds": list(one.seeds),
            }
        )
        for one in sorted(seeds.situations.values(), key=lambda one: one.id)
    ]
    inner = ",\n".join(lines)
    return f'{{\n  "engine": {seeds.engine},\n  "situations": {{\n{inner}\n  }}\n}}\n'


def proven_situation(source: ScenarioSource, seeds: tuple[int, ...]) -> ProvenSituation:
    """Return the entry of a situation whose seeds were proven just now."""
    return ProvenSituation(
        source.id, source.level, source.topology.id, source.content_hash[:_HASH], seeds
    )


def _situation(name: str, data: Any) -> ProvenSituation:
    content, topology = data["content"], data["topology"]
    if not isinstance(content, str) or len(content) != _HASH or not isinstance(topology, str):
        raise ValueError(name)
    seeds = tuple(map(_number, data["seeds"]))
    return ProvenSituation(name, Difficulty(data["level"]), topology, content, seeds)


def _number(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 2**32:
        raise ValueError(value)
    return value


def _broken(path: Path, reason: str) -> ProvenSeedsError:
    return ProvenSeedsError(
        f"cannot read the proven seeds in {path}: {reason}; install chaosops again, or run "
        f"'{_COMMAND}'"
    )
