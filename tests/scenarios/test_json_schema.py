import json
from typing import Any

import jsonschema
import pytest

from chaosops.scenarios.json_schema import INCIDENT_SCHEMA_FILE, incident_schema
from chaosops.scenarios.loader import builtin_folder, find_scenarios
from chaosops.scenarios.yaml_source import read_document

_SOURCES = find_scenarios()


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
