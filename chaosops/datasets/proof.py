"""Checks a recording before it is used, since its file can't be trusted."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.datasets.privacy import people_in
from chaosops.datasets.reasons import Reason
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole
from chaosops.errors import RecordingError
from chaosops.recording.events import Header, HumanPart
from chaosops.recording.lines import LineReader, RecordedLine
from chaosops.recording.reader import LogReader, OtherVersion, read_event
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.recording.seal import SealChain
from chaosops.recording.verdict import VerificationStatus
from chaosops.recording.verify import Failed, Verification
from chaosops.recording.versions import other_engine

_SEAL: Final = b',"seal":"'

_REASONS: Final[Mapping[VerificationStatus, Reason]] = MappingProxyType(
    {
        VerificationStatus.EDITED: Reason.EDITED,
        VerificationStatus.DRIFTED: Reason.DRIFTED,
        VerificationStatus.OTHER_ENGINE: Reason.OTHER_ENGINE,
        VerificationStatus.OTHER_VERSION: Reason.OTHER_SCENARIO,
        VerificationStatus.NO_SCENARIO: Reason.NO_SCENARIO,
        VerificationStatus.DAMAGED: Reason.CANNOT_READ,
    }
)


class Unsound(RecordingError):
    """A recording that can't be trusted; the text explains why, in one line."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class Proof(NamedTuple):
    """The result of a check.

    Attributes:
        turns: How many turns are valid; a game in progress may have more by now.
        people: The roles whose messages and actions may be a person's.
        seal: The seal of the game; the same in each copy, whatever notes were added.
        by_simulation: Whether the frames were simulated again.
    """

    turns: int
    people: frozenset[AgentRole]
    seal: str
    by_simulation: bool


def prove(path: Path, header: Header, book: ScenarioBook, env: ChaosOpsEnvironment) -> Proof:
    """Simulate a recording again, and compare every frame.

    Args:
        env: Reset for it.

    Raises:
        Unsound: It doesn't verify.
    """
    check = Verification(path, book, env)
    try:
        people = _people(header, check.turns())
    except Failed as failure:
        place = f"turn {check.proved}: " if check.in_turn else ""
        raise Unsound(_REASONS[failure.status], f"{place}{failure}") from failure
    return Proof(check.proved, people, check.seal, by_simulation=True)


def read_through(path: Path, header: Header) -> Proof:
    """Read a recording to its end, and check that no line was edited.

    Raises:
        Unsound: It can't be read, was edited, or has the frames of another engine.
    """
    engine = other_engine(header)
    if engine:
        raise Unsound(Reason.OTHER_ENGINE, engine)
    turns = 0

    def each() -> Iterator[tuple[EpisodeStep, HumanPart]]:
        nonlocal turns
        for turn in log:
            turns += 1
            yield turn

    try:
        with LogReader(path) as log:
            people = _people(header, each())
        broken = first_broken_seal(path)
    except OtherVersion as error:
        raise Unsound(Reason.OTHER_FORMAT, str(error)) from error
    except RecordingError as error:
        raise Unsound(Reason.CANNOT_READ, str(error).removeprefix(f"{path}, ")) from error
    if broken:
        raise Unsound(Reason.EDITED, f"line {broken}: it or its seal was changed")
    return Proof(turns, people, log.seal, by_simulation=False)


def _people(header: Header, turns: Iterator[tuple[EpisodeStep, HumanPart]]) -> frozenset[AgentRole]:
    people = people_in(header, ((frame.role, human) for frame, human in turns))
    deque(turns, maxlen=0)
    return people


def first_broken_seal(path: Path) -> int:
    """Return the first line with a wrong seal; 0 if there is none.

    Raises:
        RecordingError: The file can't be read.
    """
    chain = SealChain()
    with LineReader(path) as lines:
        for line in lines:
            if not _follows(chain, line) and not (line.is_last and read_event(line) is None):
                return line.number
    return 0


def _follows(chain: SealChain, line: RecordedLine) -> bool:
    text = line.raw.rstrip(b"\r\n")
    body = text[: text.rfind(_SEAL)] + b"}"
    return chain.line(body) == text + b"\n"
