"""Those who decide from the opening alone: place, form, free text, false alarm, base rates."""

from random import Random

import pytest

from chaosops.env.models import ActionType, Difficulty, FailureType
from chaosops.evaluation.adversaries import false_alarm
from chaosops.evaluation.adversaries.base_rates import BaseRates, without_numbers
from chaosops.evaluation.adversaries.false_alarm import OneThreshold, OpeningNumbers
from chaosops.evaluation.adversaries.form import Form, FormReader, tell_whether, tell_who
from chaosops.evaluation.adversaries.free_text import FreeText
from chaosops.evaluation.adversaries.place import DeepestUnhealthy
from chaosops.evaluation.measurement import ALL_LEVELS
from chaosops.evaluation.study import StudyPlan
from chaosops.scenarios.rendering import ScenarioSource
from tests.evaluation.adversaries.helpers import study_of
from tests.worlds import scenario, situations

AGENT = (
    "position", "first", "acts", "targets", "acts of its own kind", "acts near the page",
    "first minute", "last minute", "nearest minute",
)  # fmt: skip
WHOLE = (
    "agents", "acts", "changes", "alerts", "acts near the page", "changes near the page",
    "last act", "last change",
)  # fmt: skip


def forms(guilty: list[int | None], **more: float) -> list[Form]:
    """One opening of four agents for each entry, which says who is guilty.

    All agents are alike, but for what the guilty one has more.
    """
    found = []
    for i, who in enumerate(guilty):
        agents = tuple(dict.fromkeys(AGENT, 1.0) | (more if k == who else {}) for k in range(4))
        whole = dict.fromkeys(WHOLE, 1.0) | {"acts": sum(agent["acts"] for agent in agents)}
        found.append(Form(f"incident-{i}", Difficulty.MEDIUM, agents, who, whole))
    return found


def test_whoever_acts_most_is_named_where_the_guilty_act_most() -> None:
    guilty = [Random(i).randrange(4) for i in range(40)]
    figure = tell_who(forms(guilty, acts=2.0), ALL_LEVELS)
    assert figure.value == 1.0
    assert figure.base == 0.25
    rows = {row.name: row.figure for row in figure.rows}
    assert rows["the most of acts"] == 1.0
    assert rows["the least of acts"] == 0.0
    assert rows["order"] == 0.25


@pytest.mark.few(2)
@pytest.mark.parametrize("place", range(4))
def test_a_guess_between_equals_is_chance_wherever_the_guilty_one_stands(place: int) -> None:
    figure = tell_who(forms([place] * 20), ALL_LEVELS)
    assert figure.value == 0.25
    assert {row.figure for row in figure.rows} == {0.25}


def test_a_place_in_the_list_names_the_guilty_where_it_is_always_the_same() -> None:
    ordered = [
        form._replace(agents=tuple({**a, "position": float(k)} for k, a in enumerate(form.agents)))
        for form in forms([0] * 20)
    ]
    rows = {row.name: row.figure for row in tell_who(ordered, ALL_LEVELS).rows}
    assert rows["order"] == rows["the least of position"] == 1.0


def test_one_act_more_tells_whether_there_is_somebody_guilty() -> None:
    figure = tell_whether(forms([0 if i % 3 == 0 else None for i in range(30)], acts=2.0))
    assert figure.value == 1.0
    assert {row.name: row.figure for row in figure.rows}["acts"] == 1.0


def test_without_a_guilty_agent_there_is_nothing_to_tell() -> None:
    assert tell_whether(forms([None] * 6)).value is None
    assert tell_who(forms([None] * 6), ALL_LEVELS).value is None


@pytest.mark.slow
def test_the_forms_of_real_openings_name_the_agent_that_is_guilty() -> None:
    names = (
        "slow-then-errors",
        "visitors-turned-away-at-once",
        "errors-across-teams",
        "dashboards-fall-behind",
    )
    drawn = [scenario(name, seed).incident for name in names for seed in (0, 1)]
    guilty = [any(agent.is_guilty for agent in incident.automation) for incident in drawn]
    figures = FormReader().measure(study_of(*names), ALL_LEVELS)
    assert 0 < sum(guilty) < len(guilty)
    assert figures["form: who"].n == sum(guilty)
    assert figures["form: whether"].n == len(guilty)


def test_the_deepest_unhealthy_service_is_the_place_of_one_that_leaks_connections() -> None:
    study = study_of("first-shift-4-slow-payments")
    figure = DeepestUnhealthy().measure(study, ALL_LEVELS)["place"]
    assert (figure.value, figure.n) == (1.0, 2)


def test_a_false_alarm_has_no_place_and_is_left_out() -> None:
    study = study_of("site-errors-above-limit")
    alarms = [scenario("site-errors-above-limit", seed) for seed in (0, 1)]
    assert {alarm.failure_type for alarm in alarms} == {FailureType.FALSE_ALARM}
    assert DeepestUnhealthy().measure(study, ALL_LEVELS)["place"].value is None
    assert BaseRates().measure(study, ALL_LEVELS)["base rates"].value is None


@pytest.mark.slow
def test_words_that_only_one_cause_has_name_it_on_other_seeds() -> None:
    """Two lessons open with one page and one with another, so a guess is right in two thirds."""
    study = study_of(
        "first-shift-1-product-pages", "first-shift-2-carts-fail", "first-shift-4-slow-payments"
    )
    figures = FreeText().measure(study, ALL_LEVELS)
    assert figures["free text"].value == 1.0
    assert figures["free text"].base == pytest.approx(2.0 / 3.0)
    assert figures["free text elsewhere"].value is None


def test_a_false_alarm_is_told_by_the_one_number_that_differs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [source.id for source in situations()[:12]]

    def openings(_plan: StudyPlan, source: ScenarioSource) -> list[OpeningNumbers]:
        is_false = names.index(source.id) % 3 == 0
        numbers = {"alerts": 1.0 if is_false else 4.0, "held": 0.0}
        return [OpeningNumbers(source.id, source.level, is_false, numbers)]

    monkeypatch.setattr(false_alarm, "_headers", openings)
    figure = OneThreshold().measure(study_of(*names), ALL_LEVELS)["false alarm"]
    assert (figure.value, figure.n) == (1.0, 12)
    assert {row.name: row.figure for row in figure.rows} == {"alerts": 1.0}


@pytest.mark.slow
def test_no_threshold_tells_false_alarms_from_outages_of_the_same_page() -> None:
    names = (
        "calls-not-getting-through", "sign-in-errors", "sign-in-form-rejects-some",
        "three-in-a-hundred-fail", "clients-told-to-send-again",
    )  # fmt: skip
    study = study_of(*names, seeds=tuple(range(20)))
    figure = OneThreshold().measure(study, ALL_LEVELS)["false alarm"]
    assert figure.n >= 40
    assert figure.value is not None
    assert figure.value <= 0.75


def test_without_a_false_alarm_there_is_nothing_to_tell_apart() -> None:
    figures = OneThreshold().measure(study_of("paying-ends-in-an-error"), ALL_LEVELS)
    assert figures["false alarm"].value is None


def test_a_verb_is_right_where_it_ends_the_fault_and_rare_ones_are_left_out() -> None:
    """One of the five is cured by a raised limit of a service that is unhealthy at the page."""
    names = (
        "first-shift-1-product-pages",
        "search-p99-high",
        "paying-ends-in-an-error",
        "first-shift-2-carts-fail",
        "first-shift-4-slow-payments",
    )
    cures = [scenario(name).incident.solution[0].action for name in names]
    assert cures.count(ActionType.RAISE_LIMIT) == 1
    figure = BaseRates().measure(study_of(*names, seeds=(0,)), ALL_LEVELS)["base rates"]
    rates = {row.name: (row.figure, row.n) for row in figure.rows if row.kind == "verb"}
    assert rates["raise_limit"] == (1 / 5, 5)
    assert rates["shed_load"] == (0.0, 5)
    assert all(row.n >= 5 for row in figure.rows if row.kind in ("verb", "change", "act"))


def test_acts_that_differ_only_in_their_numbers_are_one_kind() -> None:
    assert without_numbers("promote r3306 to 60 %") == "promote N to N %"
    assert without_numbers("scale in 4 to 2") == without_numbers("scale in 3 to 2")
    assert without_numbers("hold") == "hold"
