"""The player's consent to the use of their data: asked once, versioned, and revocable at any time.

The answer is kept in `consent.toml` in the user's config folder. A player is a random pseudonym,
which nothing links to them. Playing needs no consent: without it, recordings name nobody.
"""

from __future__ import annotations

import json
import secrets
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from platformdirs import user_config_path
from pydantic import Field, StringConstraints

from chaosops.errors import RecordingError
from chaosops.files import NotAFileError, read_bytes, replace_file, why
from chaosops.recording.codec import FieldError, read_part
from chaosops.recording.events import Consent, ConsentScope, Player
from chaosops.recording.folders import make_private
from chaosops.recording.parts import Part
from chaosops.recording.times import Millis, now_ms

VERSION: Final = 2
"""The version of the texts below. After an increase, players are asked again."""

INTRODUCTION: Final = (
    "Each game you play is recorded on this computer, so that you can replay and resume it. "
    "You may agree to its use in data sets for research and training. Nothing is sent anywhere "
    "by this program, your name and your computer are in no recording, and you can take it back "
    "with 'chaosops recordings consent --withdraw', which removes the recordings. Where others "
    "play at your keyboard, your answer covers them too: ask them first."
)

WORDS: Final[Mapping[ConsentScope, str]] = MappingProxyType(
    {
        ConsentScope.ACTIONS: (
            "My actions: what I saw and did in the game, when, what I opened, and my ratings."
        ),
        ConsentScope.FREE_TEXT: (
            "My words: the messages, reasons and comments that I wrote in the game."
        ),
    }
)
"""The meaning of each scope, as players are asked."""

_FILE: Final = "consent.toml"
_MOST: Final = 2**20
"""The most bytes of the file; a thousand agreements take a fifth of it."""


class Agreement(Part):
    """One agreement of a player."""

    pseudonym: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")] = Field(
        description="Random; it stands for the player in recordings."
    )
    version: Annotated[int, Field(ge=1)] = Field(description="Version of the words agreed to.")
    scopes: tuple[ConsentScope, ...] = Field(description="What was agreed to.")
    given_at_ms: Millis = Field(description="When.")
    withdrawn_at_ms: Millis | None = Field(default=None, description="When it was taken back.")

    @property
    def player(self) -> Player:
        """The player as in a recording's header."""
        consent = Consent(version=self.version, scopes=self.scopes, given_at_ms=self.given_at_ms)
        return Player(self.pseudonym, consent)


class _File(Part):
    format: Literal[1] = 1
    asked_version: Annotated[int, Field(ge=0)] = 0
    agreements: tuple[Agreement, ...] = ()


class ConsentStore:
    """The player's answers on disk. Every call reads the file again.

    Attributes:
        path: The file, which need not exist.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Keep the answers in a folder, by default the user's config folder."""
        self.path = (folder or user_config_path("chaosops", appauthor=False)) / _FILE

    @property
    def asked(self) -> bool:
        """Whether the player has answered the current texts, either way.

        Raises:
            RecordingError: The file can't be read, here and in all other methods.
        """
        return self._read().asked_version >= VERSION

    @property
    def current(self) -> Agreement | None:
        """The agreement in force; None if there is none."""
        agreements = self._read().agreements
        latest = agreements[-1] if agreements else None
        return None if latest is None or latest.withdrawn_at_ms is not None else latest

    @property
    def withdrawn(self) -> tuple[str, ...]:
        """The pseudonyms that the player has withdrawn."""
        agreements = self._read().agreements
        kept = {agreement.pseudonym for agreement in agreements if not agreement.withdrawn_at_ms}
        return tuple(
            dict.fromkeys(
                agreement.pseudonym for agreement in agreements if agreement.pseudonym not in kept
            )
        )

    def give(self, scopes: Iterable[ConsentScope]) -> Agreement:
        """Record an agreement to these scopes; the pseudonym stays until a withdrawal.

        Raises:
            RecordingError: No scope is given, or the file can't be written.
        """
        wanted = set(scopes)
        if not wanted:
            names = ", ".join(ConsentScope)
            raise RecordingError(f"consent to nothing is no consent: name one of {names}")
        current = self.current
        agreement = Agreement(
            pseudonym=secrets.token_hex(8) if current is None else current.pseudonym,
            version=VERSION,
            scopes=tuple(scope for scope in ConsentScope if scope in wanted),
            given_at_ms=now_ms(),
        )
        self._write((*self._read().agreements, agreement))
        return agreement

    def decline(self) -> None:
        """Record that the player declined, which also ends an earlier agreement.

        Raises:
            RecordingError: The file can't be written.
        """
        self.withdraw()

    def withdraw(self) -> tuple[str, ...]:
        """Withdraw all agreements, and return the pseudonyms concerned.

        The recordings stay: `upkeep.withdraw` removes those of a pseudonym.

        Raises:
            RecordingError: The file can't be written.
        """
        now = now_ms()
        self._write(
            agreement.model_copy(update={"withdrawn_at_ms": agreement.withdrawn_at_ms or now})
            for agreement in self._read().agreements
        )
        return self.withdrawn

    def _read(self) -> _File:
        try:
            data = tomllib.loads(read_bytes(self.path, _MOST).decode("utf-8"))
        except FileNotFoundError:
            return _File()
        except NotAFileError as error:
            raise RecordingError(
                f"cannot read {self.path}: {why(error)}; remove it, and you will be asked again"
            ) from error
        except OSError as error:
            raise RecordingError(
                f"cannot read {self.path}: {why(error)}; check the permissions"
            ) from error
        except ValueError as error:
            raise self._broken(str(error)) from None
        try:
            return read_part(_File, data, "")
        except (FieldError, TypeError) as error:
            raise self._broken(str(error)) from None

    def _broken(self, why: str) -> RecordingError:
        return RecordingError(
            f"{self.path} is broken: {why}; fix it, or remove it and you will be asked again"
        )

    def _write(self, agreements: Iterable[Agreement]) -> None:
        lines = ["format = 1", f"asked_version = {VERSION}"]
        for agreement in agreements:
            lines += ["", "[[agreements]]"]
            for name, value in agreement.model_dump(mode="json", exclude_none=True).items():
                lines.append(f"{name} = {_toml(value)}")
        try:
            make_private(self.path.parent)
            replace_file(self.path, "\n".join(lines) + "\n")
        except OSError as error:
            raise RecordingError(
                f"cannot write {self.path}: {why(error)}; check permissions and free disk space"
            ) from error


def _toml(value: Any) -> str:
    """Format a number, a text or a list of texts as TOML, which is the same as JSON."""
    return json.dumps(value)
