"""The card of a data set: its contents, its origin and its limits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import yaml

from chaosops.datasets.episode import RecordedEpisode, RowSelection
from chaosops.datasets.lengths import Lengths
from chaosops.datasets.reasons import counted
from chaosops.datasets.rows import (
    EpisodeRow,
    ExportRow,
    Format,
    PreferenceRow,
    PromptStyle,
    TurnColumns,
)
from chaosops.datasets.splits import Split
from chaosops.recording.seal import SEAL_PROVES
from chaosops.recording.turn_sources import Decider
from chaosops.text import PROMPT_VERSION
from chaosops.version import __version__

Counts = Mapping[tuple[Format, Split], int]

_PLAYERS: Final = frozenset({Decider.HUMAN, Decider.COPILOT})

_PLAIN: Final = re.compile(r"[A-Za-z0-9 ._,:()+-]*")

_SIZES: Final = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)

_WHAT: Final = {
    Format.SFT: "a turn: what the role saw (`prompt`) and did (`completion`)",
    Format.GRPO: "a turn: what the role saw (`prompt`), and the actions that lead up to it",
    Format.REWARDS: "an `sft` turn with its reward by component and the return to the end",
    Format.PREFERENCE: "two actions in one turn (`chosen`, `rejected`) and their `margin`",
    Format.EPISODES: "a whole episode: actions, rewards, outcome, ratings",
}


class Tally:
    """Counts what goes into a data set, for its card.

    Attributes:
        episodes: Recordings with at least one row.
        verified: How many of them were verified by simulation.
        left_out: Recordings without rows, by reason.
        left_out_of: What is left out of each format, by reason.
        lengths: How long the rows are.
    """

    def __init__(self) -> None:
        self.episodes = 0
        self.verified = 0
        self.left_out: Counter[str] = Counter()
        self.left_out_of: dict[Format, Counter[str]] = {kind: Counter() for kind in Format}
        self._recordings: dict[str, Counter[str]] = {}
        self._rows: dict[Format, dict[str, Counter[str]]] = {kind: {} for kind in Format}
        self._players: set[str] = set()
        self._deciders: set[Decider] = set()
        self.lengths = Lengths()

    def episode(self, episode: RecordedEpisode) -> None:
        """Count an episode that gave at least one row."""
        self.episodes += 1
        self.verified += episode.proof.by_simulation
        header = episode.header
        _count(self._recordings, "ChaosOps version", header.chaosops)
        if header.pseudonym is not None:
            self._players.add(header.pseudonym)
        _count(self._recordings, "consent", _consent(episode))

    def row(self, kind: Format, row: ExportRow) -> None:
        """Count a row of a format."""
        self.lengths.add(kind, row)
        by = self._rows[kind]
        if isinstance(row, EpisodeRow):
            self._deciders.update(map(Decider, row.sources))
            _count(by, "outcome", row.outcome)
            for role, source in zip(row.roles, row.sources, strict=True):
                _count(by, "role of their turns", role)
                _count(by, "source of their turns", source)
        elif isinstance(row, TurnColumns):
            self._deciders.add(Decider(row.source))
            _count(by, "role", row.role)
            _count(by, "source", f"{row.source} {row.policy}".strip())
        if isinstance(row, (TurnColumns, EpisodeRow)):
            _count(by, "incident", row.scenario)
        if isinstance(row, PreferenceRow):
            _count(by, "origin of the pair", row.origin)

    @property
    def deciders(self) -> frozenset[Decider]:
        """Everyone who decided a turn of these rows."""
        return frozenset(self._deciders)

    def lines(self) -> Iterable[str]:
        """Yield the counts, a line each: first recordings, then the rows of each format."""
        players = counted(len(self._players), "players")
        yield f"- recordings: {self.episodes}, of {players}"
        yield (
            f"- verified: {self.verified} of {self.episodes}; these were simulated again, and "
            "every frame matched"
        )
        yield from _by("recordings", self._recordings)
        for why, count in sorted(self.left_out.items()):
            yield f"- left out: {counted(count, why)}"
        for kind in Format:
            yield from _by(f"rows of `{kind.value}`", self._rows[kind])
            for why, count in sorted(self.left_out_of[kind].items()):
                yield f"- left out of `{kind.value}`: {counted(count, why)}"


def _count(by: dict[str, Counter[str]], what: str, name: str) -> None:
    by.setdefault(what, Counter())[name] += 1


def _by(of_what: str, by: Mapping[str, Counter[str]]) -> Iterable[str]:
    for what, counts in sorted(by.items()):
        shown = ", ".join(f"{_quoted(name)} {count}" for name, count in sorted(counts.items()))
        yield f"- {of_what} by {what}: {shown}"


def _quoted(name: str) -> str:
    """Quote a foreign name: on one line, and without meaning in Markdown or HTML."""
    plain = " ".join(name.split()).replace("`", "'")
    return plain if _PLAIN.fullmatch(plain) else f"`{plain}`"


def _consent(episode: RecordedEpisode) -> str:
    if not episode.people:
        return "none needed, policies only"
    consent = episode.header.consent
    if consent is None:
        return "none"
    scopes = " and ".join(scope.value for scope in sorted(consent.scopes))
    return f"version {consent.version} of the text, for {scopes}"


def render_card(
    tally: Tally,
    counts: Counts,
    paths: Mapping[tuple[Format, Split], str],
    *,
    title: str,
    licence: str,
    test_share: float,
    wanted: RowSelection,
) -> str:
    """Render README.md: YAML front matter for loaders, and the same facts for people."""
    front = yaml.safe_dump(
        _front(tally, counts, paths, title=title, licence=licence),
        sort_keys=False,
        allow_unicode=True,
    )
    return f"---\n{front}---\n\n{_body(tally, counts, title, licence, test_share, wanted)}"


def _front(
    tally: Tally,
    counts: Counts,
    paths: Mapping[tuple[Format, Split], str],
    *,
    title: str,
    licence: str,
) -> dict[str, object]:
    formats = [kind for kind in Format if any(kind is other for other, _ in counts)]
    annotators = {
        "expert-generated" if decider in _PLAYERS else "machine-generated"
        for decider in tally.deciders
    }
    return {
        "pretty_name": title,
        "license": licence,
        "language": ["en"],
        "task_categories": ["text-generation", "reinforcement-learning"],
        "annotations_creators": sorted(annotators) or ["machine-generated"],
        "size_categories": [_size(sum(counts.values()))],
        "tags": ["chaosops", "incident-response", "simulation", *(kind.value for kind in formats)],
        "configs": [
            {
                "config_name": kind.value,
                "data_files": [
                    {"split": split.value, "path": paths[kind, split]}
                    for split in Split
                    if (kind, split) in counts
                ],
            }
            for kind in formats
        ],
    }


def ordered(counts: Counts) -> list[tuple[tuple[Format, Split], int]]:
    """Sort the counts by format, training before testing."""
    return [
        ((kind, split), counts[kind, split])
        for kind in Format
        for split in Split
        if (kind, split) in counts
    ]


def _size(rows: int) -> str:
    return next((name for most, name in _SIZES if rows < most), "n>1M")


def _body(
    tally: Tally,
    counts: Counts,
    title: str,
    licence: str,
    test_share: float,
    wanted: RowSelection,
) -> str:
    table = "\n".join(
        f"| `{kind.value}` | {split.value} | {count} | {_WHAT[kind]} |"
        for (kind, split), count in ordered(counts)
    )
    facts = "\n".join(tally.lines())
    lengths = "\n".join(tally.lengths.lines())
    how_long = f"## Lengths\n\n{lengths}\n\n" if lengths else ""
    limits = "\n".join(
        f"- {limit}" for limit in _limits(tally, {kind for kind, _ in counts}, licence)
    )
    return f"""# {title}

Decisions in simulated production outages, made with ChaosOps {__version__}.

| configuration | split | rows | a row is |
| --- | --- | --- | --- |
{table}

## What is in it

{facts}

Prompts use version {PROMPT_VERSION} of the wording, {_style(wanted)}. Every row has every key: \
a missing number is -1, a missing text is empty, and times are milliseconds since the epoch. \
Rewards are exact sums of their components.

An incident is in one split only, on every seed. Its id decides which; about {test_share:.0%} of \
the incidents are in the test split. If every incident of a data set would be in the test split, \
all of them are in the training split.

{how_long}## Consent and licence

Recordings of people are included only with consent to the use of their actions, and their words \
only with separate consent; otherwise "[text withheld]" replaces them. A player is a random \
pseudonym. A player who withdraws consent has the right to have the rows with that `player` deleted.

Licence: {licence}.

## Known limits

{limits}
"""


def _style(wanted: RowSelection) -> str:
    if wanted.style is PromptStyle.COMPACT:
        return "compact: what changed and what matters"
    if wanted.history is None:
        return "full, with all earlier signals"
    return f"full, with at most {wanted.history} minutes of earlier signals"


def _limits(tally: Tally, formats: set[Format], licence: str) -> Iterable[str]:
    yield "The environment is a simulation; what works in it may not work in a real system."
    yield (
        "Hints that a player read are not in the prompt; `hints` has the levels read before the "
        "decision."
    )
    if Format.GRPO in formats:
        yield (
            "`replay` gives the same frames only with the same version of the incident "
            "(`scenario_sha256`) and of ChaosOps."
        )
    if Format.PREFERENCE in formats:
        yield (
            "The returns of a pair come from one continuation with the expert policy in every "
            "seat: they rank actions for such a team, not for any team."
        )
    if Decider.SCRIPTED in tally.deciders:
        yield "Some decisions come from scripted policies, with their habits and errors."
    if tally.deciders & _PLAYERS:
        yield "Players are volunteers, not a representative sample."
    if tally.verified < tally.episodes:
        yield (
            "Unverified recordings are complete and have matching seals, but were not compared "
            f"with the simulator. {SEAL_PROVES}"
        )
    if licence == "unknown":
        yield "No licence was given: ask the creator of the data set before you use it."
