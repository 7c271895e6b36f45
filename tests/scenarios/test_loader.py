from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from chaosops.env.models import Difficulty, FailureType
from chaosops.env.world_sim import Scenario
from chaosops.errors import ScenarioError
from chaosops.scenarios.file_checks import check_file, check_files
from chaosops.scenarios.folders import builtin_folder
from chaosops.scenarios.loader import find_scenarios, open_scenario, scan
from chaosops.scenarios.problems import Problem
from tests.scenarios.files import FIXTURE, INCIDENT, STOREFRONT, edited, write

_BUILTIN_FILES = sorted(builtin_folder().rglob("*.yaml"))


def named(name: str, text: str = INCIDENT) -> str:
    return edited(text, "id: slow-sign-in", f"id: {name}")


@pytest.mark.few(3)
@pytest.mark.parametrize("path", _BUILTIN_FILES, ids=lambda path: path.stem)
def test_the_built_in_file_is_without_fault(path: Path) -> None:
    assert check_file(path) == []


@pytest.mark.parametrize("place", ["chaosops/data/scenarios", "scenarios"])
def test_the_built_in_set_is_found_in_a_wheel_and_in_a_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setattr(
        "chaosops.scenarios.folders.__file__", str(tmp_path / "chaosops/scenarios/folders.py")
    )
    with pytest.raises(ScenarioError, match="missing; install chaosops again"):
        builtin_folder()
    (tmp_path / place).mkdir(parents=True)

    assert builtin_folder() == tmp_path.resolve() / place


def test_a_broken_built_in_file_is_an_error_of_the_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "chaosops.scenarios.folders.__file__", str(tmp_path / "chaosops/scenarios/folders.py")
    )
    write(tmp_path / "scenarios", b"titel: x\n", "half-written")

    with pytest.raises(ScenarioError, match=r"half-written\.yaml:1: .*install chaosops again"):
        find_scenarios()


def test_a_file_is_opened_by_its_path() -> None:
    for way in (FIXTURE, str(FIXTURE)):
        source = open_scenario(way)

        assert source.id == "slow-sign-in"
        assert source.path == FIXTURE
        assert source.topology.id == "storefront"
        assert (source.title, source.level) == ("Customers cannot sign in", Difficulty.EASY)


def test_an_incident_is_opened_by_its_id_from_the_folders_given(tmp_path: Path) -> None:
    path = write(tmp_path / "deep" / "down", INCIDENT)

    assert open_scenario("slow-sign-in", [tmp_path]).path == path


def test_an_unknown_id_is_answered_with_the_one_that_was_meant(tmp_path: Path) -> None:
    write(tmp_path, INCIDENT)

    with pytest.raises(ScenarioError) as caught:
        open_scenario("slow-signin", [tmp_path])

    assert str(caught.value).startswith('no scenario "slow-signin"; did you mean "slow-sign-in"?')


@pytest.mark.parametrize("name", ["", "x" * 10_000, "\x1b[31m", "a\nb", "..", "%s", "[bold]"])
def test_a_strange_id_is_answered_in_one_printable_line(name: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        open_scenario(name)

    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("name", ["nowhere/nothing.yaml", "nothing.yaml", "nothing.yml"])
def test_a_path_that_leads_nowhere_is_named(name: str) -> None:
    with pytest.raises(ScenarioError, match=rf"{re.escape(name)}: no such file"):
        open_scenario(name)


def test_a_folder_that_is_not_there_is_named_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="gone: no such folder; create it"):
        open_scenario("slow-sign-in", [tmp_path / "gone"])


def test_one_id_in_two_folders_is_an_error_that_names_both(tmp_path: Path) -> None:
    first = write(tmp_path / "a", INCIDENT)
    second = write(tmp_path / "b", INCIDENT)

    with pytest.raises(ScenarioError) as caught:
        open_scenario("slow-sign-in", [tmp_path / "a", tmp_path / "b"])
    sources, problems = scan([tmp_path / "a", tmp_path / "b"])

    assert f"is in {first}:1 and {second}:1; rename one" in str(caught.value)
    assert [source.path for source in sources if source.id == "slow-sign-in"] == [first]
    assert problems == [Problem(second, 1, "id", f"{first}:1 has the same id; rename one of them")]


def test_one_id_in_two_files_that_are_checked_is_named_with_both_lines(tmp_path: Path) -> None:
    first = write(tmp_path / "a", f"# mine\n{INCIDENT}")
    second = write(tmp_path / "b", f"# mine\n# too\n{INCIDENT}")
    problem = Problem(second, 3, "id", f"{first}:2 has the same id; rename one of them")

    assert check_files([tmp_path]) == ([first, second], [problem])
    assert check_files([first, second]) == ([first, second], [problem])
    assert check_files([second], [tmp_path / "a"]) == ([second], [])


def test_an_id_of_the_built_in_set_is_refused_in_a_folder_and_not_in_a_single_file(
    tmp_path: Path,
) -> None:
    builtin = open_scenario("paying-ends-in-an-error").path
    copy = write(tmp_path, builtin.read_bytes(), "paying-ends-in-an-error")

    files, problems = check_files([tmp_path])

    assert files == [copy]
    words = f"{builtin}:3 has the same id; rename one of them"
    assert problems == [Problem(copy, 3, "id", words)]
    with pytest.raises(ScenarioError, match="rename one of them"):
        open_scenario("paying-ends-in-an-error", [tmp_path])
    assert check_files([copy]) == ([copy], [])
    assert check_files([copy], [tmp_path])[1] == problems
    assert check_files([builtin], [tmp_path])[1] == [
        Problem(builtin, 3, "id", f"{copy}:3 has the same id; rename one of them")
    ]


def test_the_same_file_by_two_ways_is_one(tmp_path: Path) -> None:
    path = write(tmp_path / "a", INCIDENT)
    (tmp_path / "b").symlink_to(tmp_path / "a")

    assert check_files([path, tmp_path, tmp_path / "b" / path.name]) == ([path], [])


@pytest.mark.parametrize("name", ["old.yml", "OLD.YAML", "Old.Yml"])
def test_a_folder_that_is_checked_lends_its_topologies_and_names_what_is_no_scenario(
    name: str,
    tmp_path: Path,
) -> None:
    shop = edited(STOREFRONT, "id: storefront", "id: corner-shop")
    topology = write(tmp_path / "topologies", shop, "corner-shop")
    text = edited(INCIDENT, "topology: storefront", "topology: corner-shop")
    deep = write(tmp_path / "some" / "where" / "deep", text)
    old = tmp_path / "some" / name
    old.write_text(INCIDENT)

    files, problems = check_files([tmp_path])

    assert sorted(files) == sorted([deep, topology])
    assert problems == [Problem(old, 0, "", "rename it so that it ends in .yaml")]


def test_a_folder_given_twice_or_inside_another_is_read_once(tmp_path: Path) -> None:
    path = write(tmp_path / "easy", INCIDENT)
    folders = [tmp_path, tmp_path / ".." / tmp_path.name, tmp_path / "easy"]

    assert scan(folders)[1] == []
    assert open_scenario("slow-sign-in", folders).path == path


def test_an_incident_finds_the_topology_beside_it_first(tmp_path: Path) -> None:
    other = edited(STOREFRONT, "title: Web shop", "title: My shop")
    write(tmp_path / "topologies", other, "storefront")
    path = write(tmp_path / "easy", INCIDENT)

    for source in (open_scenario(path), open_scenario("slow-sign-in", [tmp_path])):
        assert source.topology.title.startswith("My shop")


def test_a_file_in_the_working_folder_is_read_like_one_from_afar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = edited(STOREFRONT, "title: Web shop", "title: My shop")
    write(tmp_path / "topologies", other, "storefront")
    write(tmp_path / "easy", INCIDENT)

    monkeypatch.chdir(tmp_path / "easy")
    assert open_scenario("slow-sign-in.yaml").topology.title.startswith("My shop")
    monkeypatch.chdir(tmp_path / "topologies")
    assert check_file(Path("storefront.yaml")) == []


def test_a_topology_of_ones_own_never_changes_a_built_in_incident(tmp_path: Path) -> None:
    other = edited(STOREFRONT, "title: Web shop", "title: My shop")
    write(tmp_path / "topologies", other, "storefront")

    before = {source.id: source.content_hash for source in find_scenarios()}
    after = {source.id: source.content_hash for source in find_scenarios([tmp_path])}

    assert before == after
    assert before


def test_a_topology_in_a_folder_given_is_found_for_a_file_elsewhere(tmp_path: Path) -> None:
    other = edited(STOREFRONT, "id: storefront", "id: corner-shop")
    write(tmp_path / "own" / "topologies", other, "corner-shop")
    path = write(
        tmp_path / "elsewhere", edited(INCIDENT, "topology: storefront", "topology: corner-shop")
    )

    assert open_scenario(path, [tmp_path / "own"]).topology.id == "corner-shop"
    assert check_file(path, [tmp_path / "own"]) == []
    with pytest.raises(ScenarioError, match='no topology "corner-shop"'):
        open_scenario(path)


def test_scenarios_are_listed_by_level_and_then_by_id(tmp_path: Path) -> None:
    for name, level in (("b", "hard"), ("a", "hard"), ("z", "tutorial"), ("c", "medium")):
        write(tmp_path, edited(named(name), "level: easy", f"level: {level}"), name)

    own = [source.id for source in find_scenarios([tmp_path]) if source.path.parent == tmp_path]

    assert own == ["z", "c", "a", "b"]


def test_every_failure_type_is_the_first_cause_of_a_situation() -> None:
    drawn: dict[FailureType | str, set[Difficulty]] = {}
    for source in find_scenarios():
        for kind in source.drawing.diagnoses:
            drawn.setdefault(kind, set()).add(source.level)
    assert set(drawn) >= set(FailureType)
    only_taught = {kind for kind, levels in drawn.items() if levels == {Difficulty.TUTORIAL}}
    # A database behind a cold cache is unwell itself, so no other cause opens like it.
    assert only_taught == {FailureType.COLD_CACHE}


def test_what_only_follows_in_a_situation_is_not_among_its_diagnoses() -> None:
    drawing = open_scenario("errors-come-and-go").drawing
    follows = {spec.cause for cast in drawing.situation.casts for spec in cast.follows}
    assert "reconnect_herd" in follows
    assert FailureType.RECONNECT_HERD not in drawing.diagnoses
    assert FailureType.ZONE_OUTAGE in drawing.diagnoses


def test_a_broken_file_is_left_out_of_the_list_and_reported(tmp_path: Path) -> None:
    write(tmp_path, named("good"), "good")
    bad = write(tmp_path, named("bad") + "colour: red\n", "bad")
    noise = write(tmp_path, b"\x80\x81", "noise")
    old = tmp_path / "old.yml"
    old.write_text(INCIDENT)
    (tmp_path / ".hidden.yaml").write_bytes(b"\x80")
    write(tmp_path / ".git", b"\x80", "config")
    (tmp_path / "notes.txt").write_bytes(b"\x80")

    sources, problems = scan([tmp_path])

    assert [source.id for source in sources if source.path.parent == tmp_path] == ["good"]
    assert {problem.path for problem in problems} == {bad, noise, old}
    assert find_scenarios([tmp_path]) == sources


def test_a_loop_of_links_does_not_hang(tmp_path: Path) -> None:
    write(tmp_path / "a", INCIDENT)
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "self.yaml").symlink_to(tmp_path / "self.yaml")

    sources, problems = scan([tmp_path])

    assert "slow-sign-in" in {source.id for source in sources}
    assert {problem.path.name for problem in problems} == {"self.yaml"}


def test_a_folder_of_too_many_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chaosops.scenarios.folders._MAX_ENTRIES", 300)
    for i in range(301):
        (tmp_path / str(i)).touch()

    _sources, problems = scan([tmp_path])

    assert [problem.message for problem in problems] == [
        "too many files; use a folder that only has scenarios"
    ]


def test_layout_and_comments_do_not_change_the_hash_but_content_does(tmp_path: Path) -> None:
    plain = open_scenario(FIXTURE).content_hash
    laid_out = "# a comment\n" + edited(INCIDENT, "par: 12\n", "par:   12   # turns\n\n")
    laid_out = edited(laid_out, "callers: [auth]", "callers:\n      - auth")
    other = edited(INCIDENT, "par: 12", "par: 13")
    shop = edited(STOREFRONT, "error_budget_minutes: 5", "error_budget_minutes: 6")

    assert re.fullmatch("[0-9a-f]{64}", plain)
    assert open_scenario(write(tmp_path / "a", laid_out)).content_hash == plain
    assert open_scenario(write(tmp_path / "b", other)).content_hash != plain
    write(tmp_path / "c" / "topologies", shop, "storefront")
    assert open_scenario(write(tmp_path / "c", INCIDENT)).content_hash != plain


@pytest.mark.parametrize("field", ["id", "content_hash", "topology"])
def test_a_source_is_a_value_that_can_be_sent_to_another_process(field: str) -> None:
    source = open_scenario(FIXTURE)
    copy = pickle.loads(pickle.dumps(source))

    assert copy == source
    assert hash(copy) == hash(source)
    assert copy.render(5) == source.render(5)
    with pytest.raises(FrozenInstanceError):
        setattr(source, field, "other")


def test_an_opened_scenario_cannot_be_changed_at_any_depth() -> None:
    scenario = Scenario.load("checkout-times-out", seed=3)
    changes: list[Callable[[], object]] = [
        lambda: scenario.topology.pages.update(site_success="all is well"),
        scenario.topology.minutes_in_flight.clear,
        lambda: scenario.incident.faults[0].clears[0].args.pop("replicas"),
        lambda: setattr(scenario.incident, "par", 60),
        lambda: setattr(scenario, "seed", 4),
    ]
    for change in changes:
        with pytest.raises((TypeError, ValueError, AttributeError)):
            change()
    assert Scenario.load("checkout-times-out", seed=3).incident == scenario.incident


def test_a_scenario_survives_being_sent_to_another_process() -> None:
    scenario = Scenario.load("checkout-times-out", seed=3)
    sent = pickle.loads(pickle.dumps(scenario))
    assert sent == scenario
    assert sent.incident == scenario.incident
