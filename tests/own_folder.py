"""A scenario folder of an author: causes with failure types of their own, and a situation."""

from __future__ import annotations

from pathlib import Path

from chaosops.scenarios.folders import builtin_folder
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.scenario import Scenario
from tests.scenarios.files import edited

ROW_LOCK = (builtin_folder() / "causes" / "database_waits" / "row_lock.yaml").read_text("utf-8")
TIMEOUTS = (builtin_folder() / "medium" / "checkout-times-out.yaml").read_text("utf-8")

OWN, DEFINED, NOT_CAST, NOWHERE = "vacuum_lock", "frozen_ledger", "audit_lock", "vault_lock"
"""Two causes that the situation casts, one that only fits, and one that fits nowhere there."""

ALIAS = "vacuum full"


def own_cause(
    name: str, failure_type: str = "", aliases: str = "[]", family: str = "own_locks"
) -> str:
    """A cause like the built-in row lock, with a name of its own."""
    named = f"failure_type: {failure_type}" if failure_type else "# its id is its failure type"
    text = edited(ROW_LOCK, "id: row_lock", f"id: {name}")
    text = edited(text, "failure_type: row_lock", f"{named}\naliases: {aliases}")
    text = edited(text, "[deadlock, ddl_lock", "[row_lock, ddl_lock")
    return edited(text, "family: database_waits", f"family: {family}")


def write_cause(home: Path, name: str, text: str, family: str = "own_locks") -> Path:
    """Write a cause file."""
    path = home / "causes" / family / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def write_folder(home: Path) -> Path:
    """Write the folder; return its situation."""
    write_cause(home, OWN, own_cause(OWN, aliases=f"[vacuum, {ALIAS}]"))
    write_cause(home, "ledger_freeze", own_cause("ledger_freeze", DEFINED))
    write_cause(home, NOT_CAST, own_cause(NOT_CAST))
    vault = edited(own_cause(NOWHERE), "kinds: [database], traits: [disk]", "kinds: [external]")
    write_cause(home, NOWHERE, edited(vault, "traits: [pooled]", "traits: [cached]"))
    text = edited(TIMEOUTS, "id: checkout-times-out", "id: own-timeouts")
    text = edited(text, "stream_key: checkout-times-out-1", "stream_key: own-timeouts-1")
    text = edited(text, "cause: row_lock", f"cause: {OWN}")
    text = edited(text, "cause: deadlock", "cause: ledger_freeze")
    path = home / "medium" / "own-timeouts.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def drawing(home: Path, name: str = OWN) -> Scenario:
    """The situation with the first seed whose cause is diagnosed by a name."""
    source = open_scenario("own-timeouts", [home])
    return next(
        made for seed in range(200) if (made := Scenario.of(source, seed)).failure_type == name
    )
