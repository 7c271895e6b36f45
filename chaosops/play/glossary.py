"""The terms of the trade, each in a sentence or two: what `?` and the plain mode's help say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

TERMS: Final[Mapping[str, str]] = {
    "golden signals": (
        "Latency, traffic, errors and saturation. Here: p95, rps, err, and busy, mem, disk, pool."
    ),
    "p95": (
        "95 of 100 requests are faster than this. The slowest ones hurt first; a mean hides them."
    ),
    "saturation": (
        "How full something is. Near its limit a queue grows fast: at 80 % busy a request waits a "
        "little, at 98 % many times as long."
    ),
    "SLO": (
        "Service level objective: the share of user requests that should succeed. The incident "
        "ends by itself once it has been met for some minutes with every cause gone."
    ),
    "error budget": (
        "What the objective allows to fail. At 99 % it is one request in a hundred; an incident "
        "spends it."
    ),
    "blast radius": (
        "How much a fault, or your own change, can reach: one instance, a service, all that call "
        "it. Prefer the change with the smaller one."
    ),
    "MTTR": (
        "Mean time to resolve, from the page until users are well and the cause is gone. Here each "
        "turn is a minute, and costs 2."
    ),
    "mitigation": (
        "Something that eases the pain without removing the cause. Users first, then the cause."
    ),
    "root cause": (
        "What, once removed, ends the trouble for good. An alert is its symptom, not the cause."
    ),
    "red herring": (
        "Something true, and near in time, that has nothing to do with the cause, such as the last "
        "deploy."
    ),
    "cascade": "A failure, or a wrong fix, that sets off another one further on.",
    "retry storm": (
        "Callers repeat what failed, and so add the load that makes it fail. It can outlive what "
        "set it off."
    ),
    "dependency": (
        "A service that another one calls. Trouble travels from what is called to who calls it, "
        "so look down the tree."
    ),
    "rollback": "Going back to the version before a change.",
    "rogue automation": (
        "An agent in the fleet that acts beyond its policy. Being on the list proves nothing: "
        "compare what it does with its policy, its timing, and whether it can be undone."
    ),
    "incident commander": (
        "The Manager here: knows the impact, asks each role for an act, and declares it over."
    ),
    "reward": (
        "What a turn pays. Resolved +100, early right diagnosis +30, wrong fix -50, each turn -2, "
        "and up to -10 for failing users."
    ),
    "hypothesis": (
        "What you think the cause is. Look where an answer would prove it wrong; then act."
    ),
}


def explained(terms: Iterable[str]) -> str:
    """Terms with what they mean, a paragraph each."""
    return "\n".join(f"{term}: {TERMS[term]}" for term in terms)
