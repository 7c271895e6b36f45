import json
from typing import Any

import pytest
from hypothesis import given, settings

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole, RoleView
from chaosops.errors import RecordingError
from chaosops.recording.codec import FrameDecoder, FrameEncoder, plain
from tests.recording.samples import frames
from tests.strategies import episodes


def through_json(played: tuple[EpisodeStep, ...]) -> list[Any]:
    encoder = FrameEncoder()
    return [
        json.loads(json.dumps(encoder.encode(frame), allow_nan=False, ensure_ascii=True))
        for frame in played
    ]


@settings(max_examples=25)
@given(episodes())
def test_what_was_encoded_is_decoded_to_equal_frames(played: tuple[EpisodeStep, ...]) -> None:
    decoder = FrameDecoder()
    decoded = tuple(decoder.decode(data) for data in through_json(played))
    assert decoded == played
    assert repr(decoded) == repr(played)


@settings(max_examples=25)
@given(episodes())
def test_parts_of_a_view_that_did_not_change_are_the_same_object(
    played: tuple[EpisodeStep, ...],
) -> None:
    decoder = FrameDecoder()
    last: dict[AgentRole, RoleView] = {}
    for data in through_json(played):
        view = decoder.decode(data).observation.view
        before = last.get(view.role)
        if before is not None:
            for name, old, new in zip(view._fields, before, view, strict=True):
                assert old is new or old != new, name
        last[view.role] = view


def test_a_window_that_moved_on_is_written_as_what_came_and_read_as_the_same_objects() -> None:
    first, *_between, later = through_json(frames(5))
    history = later["observation"]["view"]["history"]
    assert history["keep"] == [4, 5]
    assert len(history["add"]) == 4
    decoder = FrameDecoder()
    seen = [decoder.decode(data).observation.view.history for data in through_json(frames(5))]
    assert seen[0] is not None
    assert seen[4] is not None
    assert seen[4][0] is seen[0][4]
    assert "graph" in first["observation"]["view"]
    assert "graph" not in later["observation"]["view"]


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("turn", "0", "frame.turn"),
        ("turn", True, "frame.turn"),
        ("role", "boss", "frame.role"),
        ("reward", float("inf"), "frame.reward"),
        ("done", 1, "frame.done"),
        ("message", None, "frame.message"),
        ("breakdown", {"bribe": 5.0}, "frame.breakdown.bribe"),
        ("action", {"role": "sre"}, "frame.action.action_type"),
        ("observation", [], "frame.observation"),
        ("extra", 1, "frame.extra"),
    ],
)
def test_a_field_that_does_not_fit_is_named(field: str, value: object, place: str) -> None:
    data = through_json(frames(1))[0]
    data[field] = value
    with pytest.raises(RecordingError) as caught:
        FrameDecoder().decode(data)
    assert str(caught.value).startswith(f"{place}: ")


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("status", {"title": 3}, "status.title"),
        ("services", [{"service": "db", "health": "sick"}], "services.0.health"),
        ("history", {"keep": [0, 1], "add": []}, "history.keep"),
        ("role", "dev", "role"),
        ("secret", 1, "secret"),
    ],
)
def test_a_part_of_a_first_view_that_does_not_fit_is_named(
    name: str, value: object, place: str
) -> None:
    data = through_json(frames(1))[0]
    data["observation"]["view"][name] = value
    with pytest.raises(RecordingError, match=rf"^frame\.observation\.view\.{place}: "):
        FrameDecoder().decode(data)


@pytest.mark.parametrize(
    "moved",
    [
        {"keep": [0, 6], "add": []},
        {"keep": [3, 2], "add": []},
        {"keep": [-1, 2], "add": []},
        {"keep": [0, 2]},
        {"keep": [0, 2], "add": None},
        {"keep": "all", "add": []},
        {"keep": [0, 2], "add": [[{"service": "db"}]]},
    ],
)
def test_a_difference_that_does_not_fit_what_came_before_is_refused(moved: object) -> None:
    played = through_json(frames(5))
    played[4]["observation"]["view"]["history"] = moved
    decoder = FrameDecoder()
    for data in played[:4]:
        decoder.decode(data)
    with pytest.raises(RecordingError, match=r"^frame\.observation\.view\.history"):
        decoder.decode(played[4])


def test_a_first_view_has_to_be_whole() -> None:
    data = through_json(frames(1))[0]
    del data["observation"]["view"]["alerts"]
    with pytest.raises(RecordingError, match=r"view\.alerts: missing"):
        FrameDecoder().decode(data)


def test_something_that_no_observation_may_hold_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError, match="set"):
        plain({"x": {1, 2}})
