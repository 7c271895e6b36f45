"""Whether a player agrees to the use of the data: asked once, versioned, and taken back at will.

The answer is kept in `consent.toml` in the user's config folder. A player is a random pseudonym;
who that is stands nowhere. Playing needs no consent: without one, recordings name nobody.
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
"""The version of the words below. Where it is raised, players are asked again."""

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
"""What each scope means, as the player is asked."""

_FILE: Final = "consent.toml"
_MOST: Final = 2**20
"""Bytes of the file at most; a thousand agreements have a fifth of it."""


class Agreement(Part):
    """One time that a player agreed."""

    pseudonym: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")] = Field(
        description="Random; it stands for the player in recordings."
    )
    version: Annotated[int, Field(ge=1)] = Field(description="Version of the words agreed to.")
    scopes: tuple[ConsentScope, ...] = Field(description="What was agreed to.")
    given_at_ms: Millis = Field(description="When.")
    withdrawn_at_ms: Millis | None = Field(default=None, description="When it was taken back.")

    @property
    def player(self) -> Player:
        """The player as a recording's header names one."""
        consent = Consent(version=self.version, scopes=self.scopes, given_at_ms=self.given_at_ms)
        return Player(self.pseudonym, consent)


class _File(Part):
    format: Literal[1] = 1
    asked_version: Annotated[int, Field(ge=0)] = 0
    agreements: tuple[Agreement, ...] = ()


class ConsentStore:
    """The player's answers, on disk. Every call reads the file anew.

    Attributes:
        path: The file; it need not be there.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Keep the answers in a folder, by default the user's config folder."""
        self.path = (folder or user_config_path("chaosops", appauthor=False)) / _FILE

    @property
    def asked(self) -> bool:
        """Whether the player has answered to the words as they are now, either way.

        Raises:
            RecordingError: The file cannot be read, here and in all that follows.
        """
        return self._read().asked_version >= VERSION

    @property
    def current(self) -> Agreement | None:
        """What the player agrees to now; None for nothing."""
        agreements = self._read().agreements
        latest = agreements[-1] if agreements else None
        return None if latest is None or latest.withdrawn_at_ms is not None else latest

    @property
    def withdrawn(self) -> tuple[str, ...]:
        """The pseudonyms that the player took back."""
        agreements = self._read().agreements
        kept = {agreement.pseudonym for agreement in agreements if not agreement.withdrawn_at_ms}
        return tuple(
            dict.fromkeys(
                agreement.pseudonym for agreement in agreements if agreement.pseudonym not in kept
            )
        )

    def give(self, scopes: Iterable[ConsentScope]) -> Agreement:
        """The player agrees to these scopes; the pseudonym stays until a withdrawal.

        Raises:
            RecordingError: No scope is named, or the file cannot be written.
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
        """The player was asked, and does not agree; what was agreed to before ends too.

        Raises:
            RecordingError: The file cannot be written.
        """
        self.withdraw()

    def withdraw(self) -> tuple[str, ...]:
        """Take back everything that was agreed to, and say which pseudonyms that concerns.

        The recordings are not touched: `store.withdraw` removes those of a pseudonym.

        Raises:
            RecordingError: The file cannot be written.
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
    """A number, a text or a list of texts in TOML, which writes these as JSON does."""
    return json.dumps(value)
