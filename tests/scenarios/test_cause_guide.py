"""The guide to causes says what is so: its tables are made from the models, its files are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import chaosops
from chaosops.cli.scenarios_keys import described, keys
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.cause_files import read_cause
from chaosops.scenarios.checks.following import check_followers
from chaosops.scenarios.folders import cause_files
from chaosops.scenarios.situation import CastSpec, Situation
from chaosops.scenarios.validation import validate
from tests.scenarios.test_broken_causes import cause_file, own_cause
from tests.worlds import situations

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "causes.md").read_text("utf-8")


def test_the_keys_of_the_guide_are_those_of_the_command() -> None:
    (words,) = re.findall("<!-- keys: begin -->\n(.*)<!-- keys: end -->", GUIDE, re.DOTALL)
    assert words == f"{keys()}\n", "put in what `chaosops scenarios words cause` prints"


@pytest.mark.parametrize("model", [Cause, Situation])
def test_every_key_of_a_file_is_described(model: type[Cause] | type[Situation]) -> None:
    assert set(model.model_fields) <= set(described(model.__name__))


def test_no_key_of_the_guide_is_without_a_meaning() -> None:
    assert not re.findall(r"^\| `.*\|  \|$", keys(), re.MULTILINE)


def test_the_names_that_texts_can_use_are_those_that_are_filled_in() -> None:
    """A text with each of them has no brace left once it was drawn."""
    named = set(re.findall(r"`\{([a-z_]+)\}`", GUIDE))
    incident = situations()[0].render(1)
    words = dict(incident.drawn.words)
    assert set(words) <= named
    drawn = {"pid", "other_pid", "xid", "ms", "waiting"}
    of_instruments = {"before", "after", "heap", "pause", "offset"}
    assert named - set(words) == drawn | of_instruments | {"there"}


def test_what_the_guide_points_to_is_there() -> None:
    # The package may be installed elsewhere, without its source beside the tests.
    homes = {"scenarios": ROOT, "chaosops": Path(chaosops.__file__).parents[1]}
    for path in re.findall(r"`((?:scenarios|chaosops)/[\w/.]+)`", GUIDE):
        assert (homes[path.split("/")[0]] / path).exists(), path
    for path in re.findall(r"\]\(([\w.]+\.md)", GUIDE):
        assert (ROOT / "docs" / path).exists(), path


def test_the_guides_folders_are_those_that_are_read(tmp_path: Path) -> None:
    assert "causes/FAMILY/ID.yaml" in GUIDE
    assert cause_file(tmp_path, own_cause()).relative_to(tmp_path).parts[0] == "causes"


def test_the_chains_of_the_guide_are_sound() -> None:
    blocks = re.findall(r"```yaml\n(casts:.*?)```", GUIDE, re.DOTALL)
    assert len(blocks) == 2
    files = cause_files(())
    causes = {name: read_cause(files[name], files).cause for name in files}
    sound = {name: cause for name, cause in causes.items() if cause is not None}
    shop = next(one.topology for one in situations() if one.topology.id == "shop")
    for block in blocks:
        for cast in yaml.safe_load(block)["casts"]:
            spec, wrong = validate(CastSpec, cast)
            assert not wrong
            assert spec is not None
            assert not list(check_followers((), spec, sound, shop))
