"""What probes show of names, certificates and clocks, and of the agents that write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from chaosops.agents.cells import number, numbers
from chaosops.env.models import Sign
from chaosops.env.models.readings import Reading, Table, TableKind, column

_PLANS_APART: Final = 12.0
"""How many plans apart answers may be that are not kept for longer than they live."""

_OFF_MS: Final = 1_000.0


def seen(reading: Reading) -> Iterator[tuple[Sign, str]]:
    """Yield what a service's name, certificates and clocks show, and the service."""
    here = reading.target
    for kind, read in (
        (TableKind.ANSWERS, _answers),
        (TableKind.CERTIFICATES, _certificates),
        (TableKind.CLOCKS, _clocks),
    ):
        table = reading.table(kind)
        if table is not None:
            yield read(table), here


def _answers(table: Table) -> Sign:
    status, found = column(table, "status"), numbers(table, "addresses")
    if any(each != "NOERROR" for each in status):
        return Sign.NAME_LOOKUP_FAILS
    if min(found, default=1.0) <= 0.0:
        return Sign.RECORD_EMPTY
    serials = numbers(table, "zone serial")
    if serials and max(serials) - min(serials) > _PLANS_APART:
        return Sign.PLAN_STALE
    return Sign.NAME_LOOKUP_FINE


def _certificates(table: Table) -> Sign:
    if any(str(ends).endswith("ago") for ends in column(table, "not after")):
        return Sign.CERTIFICATE_EXPIRED
    if column(table, "served serial") != column(table, "stored serial"):
        return Sign.OLD_CERTIFICATE_SERVED
    return Sign.CERTIFICATE_VALID


def _clocks(table: Table) -> Sign:
    is_off = any(abs(offset) > _OFF_MS for offset in numbers(table, "offset"))
    return Sign.CLOCK_OFF if is_off else Sign.CLOCKS_AGREE


def renewed_beyond(limits: Mapping[str, float], acts: Table) -> str:
    """Return the service whose certificate was renewed against the written policy, or ""."""
    if "renew before days" not in limits:
        return ""
    loads = {each.row: each.values for each in acts.stated if each.column == "act"}
    days = {each.row: each.values for each in acts.stated if each.column == "reason"}
    for row in sorted(loads):
        before, after = (number(count) for count in loads[row])
        is_early = number(days[row][0]) > limits["renew before days"]
        if is_early or 100.0 * after < limits["reload percent"] * before:
            return str(column(acts, "target")[row])
    return ""


def applied_beyond(limits: Mapping[str, float], acts: Table) -> str:
    """Return the service whose record was written by a plan that is too old, or ""."""
    if "oldest plan" not in limits:
        return ""
    ages = {each.row: each.values for each in acts.stated if each.column == "reason"}
    for row in sorted(ages):
        if number(ages[row][0]) > limits["oldest plan"]:
            return str(column(acts, "target")[row])
    return ""
