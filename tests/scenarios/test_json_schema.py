import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from chaosops.scenarios.folders import builtin_folder
from chaosops.scenarios.json_schema import (
    CAUSE_SCHEMA_FILE,
    SITUATION_SCHEMA_FILE,
    cause_schema,
    situation_schema,
)
from chaosops.scenarios.yaml_source import read_document
from tests.worlds import built_in

_SITUATIONS = [source.path for source in built_in()]
_CAUSES = sorted((builtin_folder() / "causes").rglob("*.yaml"))


def _contents(path: Path) -> Any:
    return read_document(path).data


@pytest.mark.parametrize(
    ("key", "value"),
    [("colour", "red"), ("level", "brutal"), ("par", "soon"), ("hold", [4]), ("hints", {})],
)
def test_what_the_loader_refuses_an_editor_marks_too(key: str, value: Any) -> None:
    schema = situation_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    contents = _contents(_SITUATIONS[0]) | {key: value}
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(contents))


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
    made = schema()
    validator = jsonschema.Draft202012Validator(made)
    stored = paths[0].parent / file
    for path in paths:
        assert [error.message for error in validator.iter_errors(_contents(path))] == []
        first = path.read_text("utf-8").splitlines()[0]
        assert first == f"# yaml-language-server: $schema={file}"
        assert (path.parent / file).samefile(stored)
    assert json.loads(stored.read_text("utf-8")) == made
