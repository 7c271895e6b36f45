"""`chaosops causes list`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import click

from chaosops.cli.errors import FAILURE, SUCCESS, complain
from chaosops.cli.options import json_option, scenarios_option
from chaosops.cli.tables import table
from chaosops.output import columns_of, print_data, say
from chaosops.scenarios.cause_list import ListedCause, list_causes, opening_facts

_COLUMNS = ("FAMILY", "CAUSE", "FAILURE TYPE", "FITS", "TWINS")


@click.command("list", epilog="Example: chaosops causes list --scenarios ~/incidents")
@click.option("--family", metavar="NAME", help="Only the causes of this family.")
@json_option
@scenarios_option
def list_(family: str | None, as_json: bool, folders: tuple[Path, ...]) -> int:
    """List the causes by family.

    For each there is the failure type that a diagnosis names, the services of the built-in
    topologies where it fits, and the causes with the same symptoms at the page. Broken files are
    reported on stderr.
    """
    found, problems = list_causes(folders)
    if family is not None:
        known = sorted({listed.cause.family for listed in found})
        if family not in known:
            raise click.UsageError(f"no family '{family}': choose from {', '.join(known)}")
        found = [listed for listed in found if listed.cause.family == family]
    if as_json:
        print_data(json.dumps([opening_facts(listed) for listed in found], indent=2))
    else:
        say(_table(found))
    for path, some in groupby(problems, key=attrgetter("path")):
        first, *rest = some
        cure = f" (and {len(rest)} more: run 'chaosops causes validate {path}')" if rest else ""
        complain(f"{first}{cure}")
    return FAILURE if problems else SUCCESS


def _table(found: Sequence[ListedCause]) -> str:
    rows = [
        [
            listed.cause.family,
            listed.cause.id,
            str(listed.cause.diagnosis),
            fits_words(listed.fits),
            ", ".join(listed.cause.twins),
        ]
        for listed in found
    ]
    return table([list(_COLUMNS), *rows], columns_of(sys.stdout))


def fits_words(fits: Mapping[str, Sequence[str]]) -> str:
    """Return the places by topology in a line."""
    return "; ".join(f"{name}: {', '.join(places)}" for name, places in fits.items()) or "nowhere"
