"""What a cast says of its cause behind this page: the lesson and the public incident."""

from __future__ import annotations

from pathlib import Path

from chaosops.scenarios.loader import open_scenario
from tests.scenarios.files import INCIDENT, edited, write
from tests.worlds import situations

SEEDS = range(40)


def test_a_debrief_tells_the_lesson_and_the_incident_of_the_cast_where_it_has_them(
    tmp_path: Path,
) -> None:
    first = open_scenario(write(tmp_path, INCIDENT)).drawing.situation.casts[0]
    named = f"cause: {first.cause}, "
    own = f'{named}lesson: "Look at {{place}} first.", same_kind: A shop, '
    text = edited(INCIDENT, named, own)
    source = open_scenario(write(tmp_path, text))
    told = {}
    for seed in SEEDS:
        incident = source.render(seed)
        told[incident.drawn.cause.id] = incident
    own_one = told.pop(first.cause)
    assert own_one.debrief.lesson == f"Look at {own_one.drawn.place} first."
    assert own_one.debrief.same_kind == "A shop"
    assert told
    for incident in told.values():
        assert incident.debrief.same_kind == incident.drawn.cause.same_kind


POST_MORTEMS = {
    # situation: (cause, words of the public incident)
    "status-page-down-too": ("alternating_config", "Cloudflare"),
    "nobody-gets-through": ("stray_route", "Facebook"),
    "nothing-released-today": ("latent_bug", "Google Cloud"),
    "reports-cannot-be-reached": ("empty_record", "Amazon S3"),
    "too-busy-on-a-quiet-day": ("hostile_traffic", "Dyn"),
}


def test_each_post_mortem_of_the_guide_is_a_truth_of_its_situation() -> None:
    found = {source.id: source for source in situations()}
    for name, (cause, words) in POST_MORTEMS.items():
        incidents = [found[name].render(seed) for seed in SEEDS]
        told = {one.debrief.same_kind for one in incidents if one.drawn.cause.id == cause}
        assert len(told) == 1, name
        assert words in told.pop()
