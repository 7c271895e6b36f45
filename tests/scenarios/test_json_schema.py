import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from chaosops.scenarios.folders import builtin_folder
from chaosops.scenarios.json_schema import (
    CAUSE_SCHEMA_FILE,
    INCIDENT_SCHEMA_FILE,
    SITUATION_SCHEMA_FILE,
    cause_schema,
    incident_schema,
    situation_schema,
)
from chaosops.scenarios.yaml_source import read_document
from tests.worlds import built_in

_FOUND = built_in()
_SOURCES = [source for source in _FOUND if source.drawing is None]
_SITUATIONS = [source.path for source in _FOUND if source.drawing is not None]
_CAUSES = sorted((builtin_folder() / "causes").rglob("*.yaml"))


def _contents(path: Any) -> Any:
    return read_document(path).data


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = incident_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("source", _SOURCES, ids=lambda source: source.id)
def test_every_incident_fits_the_schema(
    source: Any, validator: jsonschema.Draft202012Validator
) -> None:
    assert [error.message for error in validator.iter_errors(_contents(source.path))] == []


@pytest.mark.parametrize(
    ("key", "value"),
    [("colour", "red"), ("level", "brutal"), ("par", "soon"), ("hold", [4]), ("hints", {})],
)
def test_what_the_loader_refuses_an_editor_marks_too(
    key: str, value: Any, validator: jsonschema.Draft202012Validator
) -> None:
    contents = _contents(_SOURCES[0].path) | {key: value}
    assert list(validator.iter_errors(contents))


def test_the_schema_beside_the_incidents_is_the_one_of_the_models() -> None:
    stored = (builtin_folder() / INCIDENT_SCHEMA_FILE).read_text("utf-8")
    assert json.loads(stored) == incident_schema(), (
        "run: chaosops scenarios schema > scenarios/incident.schema.json"
    )


@pytest.mark.parametrize("source", _SOURCES, ids=lambda source: source.id)
def test_every_incident_tells_editors_where_its_schema_is(source: Any) -> None:
    first = source.path.read_text("utf-8").splitlines()[0]
    assert first == f"# yaml-language-server: $schema=../{INCIDENT_SCHEMA_FILE}"


@pytest.mark.parametrize(
    ("paths", "schema", "file"),
    [
        (_SITUATIONS, situation_schema, f"../{SITUATION_SCHEMA_FILE}"),
        (_CAUSES, cause_schema, f"../../{CAUSE_SCHEMA_FILE}"),
    ],
    ids=["situations", "causes"],
)
def test_situations_and_causes_have_schemas_of_their_own_that_they_fit(
    paths: list[Path], schema: Callable[[], dict[str, Any]], file: str
) -> None:
    validator = jsonschema.Draft202012Validator(schema())
    assert paths
    for path in paths:
        assert [error.message for error in validator.iter_errors(_contents(path))] == []
        first = path.read_text("utf-8").splitlines()[0]
        assert first == f"# yaml-language-server: $schema={file}"
        assert json.loads((path.parent / file).read_text("utf-8")) == schema()
