"""What the card says of recordings that come from strangers."""

from __future__ import annotations

from pathlib import Path

from chaosops.recording.events import Opinion
from chaosops.recording.exports.card import Tally
from chaosops.recording.exports.episode import RecordedEpisode
from chaosops.recording.reader import read_recording
from tests.recording.exports.games import game


def test_a_strangers_words_are_no_heading_and_no_html_in_the_card(tmp_path: Path) -> None:
    path, _ = game(tmp_path, turns=4)
    recording = read_recording(path)
    rude = "1.0`\n# Heading\n---\n<img src=x onerror=y>"
    header = recording.header.model_copy(update={"chaosops": rude})
    tally = Tally()
    tally.episode(RecordedEpisode(path, header, recording.footer, Opinion(), frozenset()))
    (line,) = (line for line in tally.lines() if "onerror" in line)
    assert "\n" not in line
    assert "`1.0' # Heading --- <img src=x onerror=y>` 1" in line
