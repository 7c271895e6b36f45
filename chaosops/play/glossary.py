"""Glossary: common terms in a sentence or two, for `?` and the plain mode's help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from chaosops.env.models.failures import OwnCause
from chaosops.play.formatting import in_words, shown
from chaosops.rewards.reward_fn import RewardWeights

_POINTS: Final = RewardWeights()

TERMS: Final[Mapping[str, str]] = {
    "golden signals": (
        "Latency, traffic, errors and saturation. Here: p95, rps, err, and cpu, mem, disk, pool."
    ),
    "p95": (
        "The 95th percentile of latency: 95 of 100 requests are faster. Slow requests hurt first, "
        "and an average hides them."
    ),
    "saturation": (
        "How full a resource is. Queues grow fast near the limit: at 80 % CPU a request waits a "
        "little, at 98 % many times as long."
    ),
    "SLO": (
        "Service level objective: the share of user requests that should succeed. The incident "
        "ends automatically once every cause is gone and the objective has been met for some "
        "minutes."
    ),
    "error budget": (
        "How many requests the objective allows to fail. At 99 % that is one in a hundred; an "
        "incident spends the budget."
    ),
    "blast radius": (
        "How much a fault or a change of yours can affect: one instance, a service, everything "
        "that calls it. Prefer the fix with the smaller blast radius."
    ),
    "MTTR": (
        "Mean time to resolve: from the page until users are fine and the cause is gone. Here "
        "each turn is a minute and costs 2 points."
    ),
    "mitigation": (
        "A fix that reduces the impact without removing the cause. Help users first, then fix the "
        "cause."
    ),
    "root cause": (
        "What has to be fixed to end the incident for good. An alert is a symptom of it."
    ),
    "red herring": (
        "Something true and close in time that has nothing to do with the cause, such as the last "
        "deploy."
    ),
    "cascade": ("A failure, or a wrong fix, that triggers further failures downstream."),
    "retry storm": (
        "Callers retry failed requests and so add the very load that makes them fail. It can "
        "outlive its trigger."
    ),
    "dependency": (
        "A service that another one calls. Failures spread from a dependency to its callers, so "
        "follow the tree down."
    ),
    "rollback": ("Return to the version before a change."),
    "rogue automation": (
        "An automation agent that acts beyond its policy. Being in the audit log proves nothing: "
        "check the agent's acts against its policy, their timing, and whether they can be undone."
    ),
    "incident commander": (
        "The Manager's role here: knows the impact, asks the other roles to act, and declares the "
        "incident over."
    ),
    "reward": (
        f"The points of a turn. Resolved {_POINTS.resolved_bonus:+.0f}, a certain diagnosis "
        f"{_POINTS.certain_bonus:+.0f} or {_POINTS.certain_penalty:.0f}, a wrong fix "
        f"{_POINTS.wrong_fix_penalty:.0f}, each turn {_POINTS.mttr_penalty:.0f}, and up to "
        f"{_POINTS.impact_penalty:.0f} for failed user requests."
    ),
    "hypothesis": (
        "What you think the cause is. Investigate where the answer could prove it wrong; then act."
    ),
}


def explained_causes(own_causes: Mapping[str, OwnCause]) -> dict[str, str]:
    """Return the definitions of authors' causes by their names in words, with their aliases."""
    found = {}
    for name, own in own_causes.items():
        also = f" Also: {', '.join(own.aliases)}." if own.aliases else ""
        found[in_words(name)] = f"{shown(own.glossary, 400)}{also}"
    return found


def explained(terms: Iterable[str]) -> str:
    """Return terms with their explanations, one paragraph each."""
    return "\n".join(f"{term}: {TERMS[term]}" for term in terms)
