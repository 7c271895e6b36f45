"""Rewording: every text that people read is replaced, and nothing that programs may decide on.

A reworded text is a number behind a sign that no text has, the same for the same text, so that
whoever looks for a word in it finds none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic import BaseModel

from chaosops.agents.policies import Policy
from chaosops.env.models import AgentRole, ChaosOpsAction, ChaosOpsObservation, SignalRows
from chaosops.scenarios.scenario import Scenario

SIGN: Final = "§"

IN_VIEWS: Final[Mapping[str, frozenset[str]]] = {
    "ChaosOpsObservation": frozenset({"message"}),
    "Status": frozenset({"title"}),
    "Alert": frozenset({"text"}),
    "Message": frozenset({"text"}),
    "Finding": frozenset({"text"}),
    "LogLine": frozenset({"text"}),
    "Change": frozenset({"author", "text"}),
    "AuditEvent": frozenset({"act", "reason", "approval"}),
    "LastAction": frozenset({"text"}),
    "Ticket": frozenset({"text"}),
    "Chart": frozenset({"title"}),
    "Mark": frozenset({"text"}),
    "LogView": frozenset({"title"}),
    "LogEntry": frozenset({"template", "text"}),
    "TraceView": frozenset({"title"}),
    "Span": frozenset({"operation"}),
    "Table": frozenset({"title"}),
    "Diff": frozenset({"author", "ticket", "text", "lines"}),
    "Statement": frozenset({"title", "lines"}),
}
"""The fields of an observation that are written for people, by the record that has them."""

CELLS: Final = frozenset({"act", "reason", "approval", "parse", "last event", "then"})
"""The columns of tables whose cells are sentences."""

IN_FILES: Final = frozenset(
    {
        "title",
        "text",
        "reason",
        "approval",
        "act",
        "duty",
        "policy",
        "why",
        "happened",
        "lesson",
        "glossary",
        "parse",
        "innocent",
        "lines",
        "author",
        "telling",
    }
)
"""The fields of an incident's file that are written for people."""


class Translation:
    """A number for each text, given in the order in which they are met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, text: str) -> str:
        """The text in other words; nothing stays nothing."""
        if not text or text.startswith(SIGN):
            return text
        return f"{SIGN}{self._numbers.setdefault(text, len(self._numbers))}"

    def observation(self, seen: ChaosOpsObservation) -> ChaosOpsObservation:
        """The observation in other words."""
        reworded: ChaosOpsObservation = self._record(seen)
        return reworded

    def action(self, action: ChaosOpsAction) -> ChaosOpsAction:
        """The action with what it says in other words."""
        text = action.args.get("text")
        if not isinstance(text, str):
            return action
        return replace(action, args={**action.args, "text": self.of(text)})

    def policy(self, policy: Policy) -> Policy:
        """The policy, which reads and speaks in other words."""

        def reworded(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
            return self.action(policy(self.observation(observation), role))

        return reworded

    def scenario(self, scenario: Scenario) -> Scenario:
        """The scenario with its file in other words."""
        return replace(scenario, incident=self._file(scenario.incident, named=False))

    def _record(self, value: Any) -> Any:
        fields = getattr(type(value), "_fields", None)
        if fields is None:
            if isinstance(value, SignalRows):
                return SignalRows(map(self._record, value))
            return tuple(map(self._record, value)) if isinstance(value, tuple) else value
        prose = IN_VIEWS.get(type(value).__name__, frozenset())
        parts = {
            name: self._texts(part) if name in prose else self._record(part)
            for name, part in zip(fields, value, strict=True)
        }
        if "rows" in parts:
            names = [column.name for column in value.columns]
            parts["rows"] = tuple(
                tuple(
                    self._texts(cell) if name in CELLS else cell
                    for name, cell in zip(names, row, strict=True)
                )
                for row in value.rows
            )
        return value._replace(**parts)

    def _texts(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(self._texts, value))
        return self.of(value) if type(value) is str else value

    def _file(self, value: Any, *, named: bool) -> Any:
        if isinstance(value, BaseModel):
            parts = {
                name: self._file(getattr(value, name), named=name in IN_FILES)
                for name in type(value).model_fields
            }
            return value.model_copy(update=parts)
        if hasattr(type(value), "_fields"):
            return value._replace(
                **{
                    name: self._file(part, named=name in IN_FILES)
                    for name, part in zip(value._fields, value, strict=True)
                }
            )
        if isinstance(value, tuple):
            return tuple(self._file(part, named=named) for part in value)
        return self.of(value) if named and type(value) is str else value
