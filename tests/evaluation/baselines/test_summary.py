"""The table and the curves of baselines."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from chaosops.env.models import Difficulty
from chaosops.evaluation.baselines.episodes import BaselineEpisode
from chaosops.evaluation.baselines.plots import svg_plot, text_plot
from chaosops.evaluation.baselines.summary import BaselineSummary
from chaosops.evaluation.process_figures import ProcessFigures

EASY, HARD = Difficulty.EASY, Difficulty.HARD


def episode(
    *rewards: float,
    policy: str = "a",
    scenario: str = "one",
    level: Difficulty = EASY,
    resolved: bool = False,
) -> BaselineEpisode:
    return BaselineEpisode(
        policy, scenario, "shop", level, 0, "cause", resolved, len(rewards) if resolved else None,
        len(rewards), sum(rewards), 1, (), None, ProcessFigures(True, 0.5), rewards, "",
    )  # fmt: skip


def summary(*episodes: BaselineEpisode) -> BaselineSummary:
    made = BaselineSummary()
    for one in episodes:
        made.add(one)
    return made


def test_a_cell_has_the_means_of_a_policy_on_a_level() -> None:
    cells = summary(
        episode(-2.0, 12.0, resolved=True),
        episode(-2.0, -2.0),
        episode(-1.0, level=HARD),
        episode(5.0, policy="b"),
    ).cells()
    assert [(cell.level, cell.policy, cell.episodes) for cell in cells] == [
        (EASY, "a", 2),
        (EASY, "b", 1),
        (HARD, "a", 1),
    ]
    first = cells[0]
    assert (first.reward.mean, first.resolved.mean, first.mttr) == (3.0, 0.5, 2.0)
    assert first.process["grounded_share"] == 1.0
    assert first.process["coverage"] == 0.5


def test_an_interval_of_one_incident_is_that_of_its_seeds() -> None:
    rewards = (1.0, 3.0, 5.0, 7.0)
    (cell,) = summary(*(episode(reward) for reward in rewards)).cells()
    spread = math.sqrt(sum((reward - 4.0) ** 2 for reward in rewards) / 4)
    assert cell.reward.high - 4.0 == pytest.approx(1.96 * spread / 2)


def test_seeds_of_one_incident_do_not_make_a_mean_surer_than_incidents_do() -> None:
    few = [episode(value, scenario=name) for name, value in (("one", 0.0), ("two", 10.0))]
    (once,) = summary(*few).cells()
    (often,) = summary(*(few * 50)).cells()
    assert often.reward.high - often.reward.low == pytest.approx(once.reward.high - once.reward.low)


def test_a_share_of_all_is_not_certain() -> None:
    (cell,) = summary(*(episode(1.0, resolved=True) for _ in range(6))).cells()
    assert cell.resolved.mean == cell.resolved.high == 1.0
    assert cell.resolved.low == pytest.approx(6 / (6 + 1.96**2))


def test_a_curve_is_the_mean_of_the_cumulative_rewards_and_ends_at_the_mean_reward() -> None:
    short, long = (1.0, 1.0), (0.0, 4.0, -2.0, 6.0)
    for order in ((short, long), (long, short)):
        (curve,) = summary(*(episode(*rewards) for rewards in order)).curves()
        assert [point.mean for point in curve.points] == pytest.approx([0.5, 3.0, 2.0, 5.0])
        half = 1.96 * math.sqrt(((2.0 - 5.0) ** 2 + (8.0 - 5.0) ** 2) / 1 / 2)
        assert curve.points[-1].high - 5.0 == pytest.approx(half)


def test_all_curves_have_the_same_turns() -> None:
    curves = summary(episode(1.0, policy="a"), episode(1.0, 1.0, 1.0, policy="b")).curves()
    assert [len(curve.points) for curve in curves] == [3, 3]
    assert [point.mean for point in curves[0].points] == [1.0, 1.0, 1.0]


def test_one_episode_has_no_band_and_none_is_no_plot() -> None:
    (curve,) = summary(episode(1.0, 2.0)).curves()
    assert all(point.low == point.mean == point.high for point in curve.points)
    assert text_plot(BaselineSummary().curves()) == "no episodes"
    ElementTree.fromstring(svg_plot((), "nothing"))


def test_the_plot_of_a_terminal_has_a_letter_and_a_figure_for_each_policy() -> None:
    curves = summary(
        *(episode(-40.0, -60.0, policy="sinks") for _ in range(2)),
        *(episode(40.0, 60.0, policy="climbs") for _ in range(2)),
    ).curves()
    lines = text_plot(curves, 60, 11).splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[0].startswith(" 100 |")
    assert lines[0].rstrip().endswith("b")
    assert lines[10].startswith("-100 |")
    assert lines[10].rstrip().endswith("a")
    assert lines[-2:] == [
        "a  sinks: -100.0 (-100.0 to -100.0)",
        "b  climbs: 100.0 (100.0 to 100.0)",
    ]


def test_the_picture_has_a_line_a_band_and_a_name_for_each_policy() -> None:
    names = [f"policy <{number}> & more" for number in range(9)]
    curves = summary(*(episode(1.0 * k, 2.0, policy=name) for k, name in enumerate(names))).curves()
    root = ElementTree.fromstring(svg_plot(curves, "Reward <by> turn"))
    space = "{http://www.w3.org/2000/svg}"
    lines = root.findall(f"{space}polyline")
    assert len(lines) == len(root.findall(f"{space}polygon")) == 9
    looks = {(line.get("stroke"), line.get("stroke-dasharray")) for line in lines}
    assert len(looks) == 9
    words = " ".join(text.text or "" for text in root.findall(f"{space}text"))
    assert "Reward <by> turn" in words
    assert words.count("> & more") == 9
