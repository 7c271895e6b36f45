import json
from typing import Any

import pytest
from hypothesis import given, settings

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole, RoleView
from chaosops.errors import RecordingError
from chaosops.recording.codec import ActionShape, FrameDecoder, FrameShape, read_part
from chaosops.recording.encoding import SHARED, FrameEncoder, action_parts
from chaosops.recording.json_text import plain, to_text
from tests.recording.samples import frames
from tests.strategies import episodes


def through_json(played: tuple[EpisodeStep, ...]) -> list[Any]:
    encoder = FrameEncoder()
    return [
        json.loads(to_text({"action": action_parts(frame.action), "frame": encoder.encode(frame)}))
        for frame in played
    ]


def read(decoder: FrameDecoder, data: Any) -> EpisodeStep:
    action = read_part(ActionShape, data["action"], "action")
    return decoder.decode(read_part(FrameShape, data["frame"], "frame"), action)


@pytest.mark.slow
@settings(max_examples=25)
@given(episodes())
def test_what_was_encoded_is_decoded_to_equal_frames(played: tuple[EpisodeStep, ...]) -> None:
    decoder = FrameDecoder()
    decoded = tuple(read(decoder, data) for data in through_json(played))
    assert decoded == played
    assert repr(decoded) == repr(played)


@pytest.mark.slow
@settings(max_examples=25)
@given(episodes())
def test_parts_of_a_view_that_did_not_change_are_the_same_object(
    played: tuple[EpisodeStep, ...],
) -> None:
    decoder = FrameDecoder()
    last: dict[AgentRole, RoleView] = {}
    shared: RoleView | None = None
    for data in through_json(played):
        view = read(decoder, data).observation.view
        for name in set(view._fields) - {"services"}:
            before = shared if name in SHARED else last.get(view.role)
            if before is not None:
                old, new = getattr(before, name), getattr(view, name)
                assert old is new or old != new, name
        last[view.role] = shared = view


def test_a_window_that_moved_on_is_written_as_what_came_and_read_as_the_same_objects() -> None:
    first, *_between, later = through_json(frames(5))
    assert "graph" in first["frame"]["observation"]["view"]
    assert "graph" not in later["frame"]["observation"]["view"]
    start, added = later["frame"]["observation"]["moved"]["history"]
    assert start == 4
    assert added == [[[0, 2, 300 + minute, 6, 70 + minute]] for minute in range(1, 5)]
    assert "services" not in later["frame"]["observation"]["view"]
    decoder = FrameDecoder()
    seen = [read(decoder, data).observation.view for data in through_json(frames(5))]
    assert seen[0].history is not None
    assert seen[4].history is not None
    assert seen[4].history[0] is seen[0].history[4]
    assert seen[4].services is seen[4].history[-1]


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
        ("breakdown", [1.0, "much"], "frame.breakdown.under_budget_bonus"),
        ("action", {"role": "sre"}, "frame.action"),
        ("observation", [], "frame.observation"),
        ("extra", 1, "frame.extra"),
    ],
)
def test_a_field_that_does_not_fit_is_named(field: str, value: object, place: str) -> None:
    data = through_json(frames(1))[0]
    data["frame"][field] = value
    with pytest.raises(RecordingError) as caught:
        read(FrameDecoder(), data)
    assert str(caught.value).startswith(f"{place}: ")


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("status", [3], "status.title"),
        ("services", [["db", "sick"]], "services.0.health"),
        ("services", [["db", "down", 1, 0.5, "slow"]], "services.0.p95_ms"),
        ("impact", [0.5, 1.0, [], [["sre", "now", ""]]], "impact.doing.0.minute"),
        ("history", [[[0, 2, 5]]], "history"),
        ("history", [{"rows": [["db", "sick"]]}], "history.0.health"),
        ("history", [{"rows": [], "more": 1}], "history"),
        ("role", "dev", "role"),
        ("secret", 1, "secret"),
    ],
)
def test_a_part_of_a_first_view_that_does_not_fit_is_named(
    name: str, value: object, place: str
) -> None:
    data = through_json(frames(1))[0]
    data["frame"]["observation"]["view"][name] = value
    with pytest.raises(RecordingError, match=rf"^frame\.observation\.view\.{place}: "):
        read(FrameDecoder(), data)


@pytest.mark.parametrize(
    "moved",
    [
        [6, []],
        [-1, []],
        [0],
        [0, None],
        "all",
        [0, ["x"]],
        [0, [["x"]]],
        [0, [[[1, 2, 3]]]],
        [0, [[[0, 99, 3]]]],
        [0, [[[0, 2]]]],
        [0, [[[0, 2, "many"]]]],
        [0, [[[True, 2, 3]]]],
        [5, [[[0, 2, 3]]]],
    ],
)
def test_a_difference_that_does_not_fit_what_came_before_is_refused(moved: object) -> None:
    played = through_json(frames(5))
    played[4]["frame"]["observation"]["moved"]["history"] = moved
    decoder = FrameDecoder()
    for data in played[:4]:
        read(decoder, data)
    with pytest.raises(RecordingError, match=r"^frame\.observation\.moved\.history"):
        read(decoder, played[4])


def test_a_list_is_not_read_twice() -> None:
    played = through_json(frames(5))
    played[4]["frame"]["observation"]["view"]["history"] = []
    decoder = FrameDecoder()
    for data in played[:4]:
        read(decoder, data)
    with pytest.raises(RecordingError, match="under view too"):
        read(decoder, played[4])


def test_a_first_view_has_to_be_whole() -> None:
    data = through_json(frames(1))[0]
    del data["frame"]["observation"]["view"]["alerts"]
    with pytest.raises(RecordingError, match=r"view\.alerts: missing"):
        read(FrameDecoder(), data)


def test_something_that_no_observation_may_hold_is_a_mistake_of_the_program() -> None:
    with pytest.raises(TypeError, match="set"):
        plain({"x": {1, 2}})
