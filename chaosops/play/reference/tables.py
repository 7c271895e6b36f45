"""The entries of terms, signals, instruments and actions, from the tables of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from chaosops.env.models import ActionType, Source
from chaosops.env.models.roles import ROLES, roles_looking_at, roles_with
from chaosops.env.models.signals import SIGNALS
from chaosops.env.models.verb_spec import TargetKind, VerbSpec
from chaosops.env.models.verbs import VERBS
from chaosops.play.formatting import ROLE_NAMES
from chaosops.play.glossary import TERMS
from chaosops.play.reference.entries import EntryKind, GlossaryEntry, facts
from chaosops.play.wording import verb_word
from chaosops.rewards.reward_fn import RewardWeights

SIGNAL_NOTES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "rps": (
            "A rise at one service and not at the entry means retries, or a caller that asks more "
            "often. A fall means that requests no longer get this far."
        ),
        "errors": (
            "Go to the deepest service whose errors rose while its own dependencies are well; "
            "those above it only pass them on."
        ),
        "p95_ms": (
            "Callers are as slow as what they wait for. Rising latency with idle CPUs is waiting: "
            "locks, connections, disks, the network."
        ),
        "busy": (
            "Near 100 % requests queue. With usual traffic, look for expensive requests or less "
            "quota; with more traffic, look for who sends it."
        ),
        "memory": (
            "A line that rises at constant traffic is a leak. Near the limit, garbage collection "
            "takes the CPU, and then instances are killed."
        ),
        "disk": "What fills it is more urgent than how full it is: extend the line to 100 %.",
        "pool": (
            "A full pool with an idle database behind it: connections are held or leaked. With a "
            "slow database: it is a symptom."
        ),
        "hit": "A fall sends reads to the store behind the cache, which may not have the room.",
        "backlog": (
            "It grows if less is done than comes in. Compare the rate in with the rate out, for "
            "each partition."
        ),
        "replicas": "A change that nobody on call made was made by automation: see its audit log.",
        "lag": "Reads from a copy that is behind show old data without any error.",
    }
)
"""What to conclude from each signal, by its field."""

INSTRUMENT_NOTES: Final[Mapping[Source, str]] = MappingProxyType(
    {
        Source.METRICS: "Charts of the service over the last hour, with marks for changes.",
        Source.LOGS: "Its newest lines, and how often each template was written.",
        Source.TRACES: "Slow and ordinary requests side by side, and where their time went.",
        Source.RUNTIME: (
            "Tables of its inside: sessions and waits, pools, garbage collection, connections, "
            "partitions, replication, hosts."
        ),
        Source.NETWORK: (
            "Probes of its connections: names, certificates, losses, checks from outside."
        ),
        Source.CHANGES: "What was changed there in the last hours, with diffs.",
        Source.CONFIG: "The configuration that its instances run with, and since when.",
        Source.AUTOMATION: "An agent's written policy, its parameters, and what it did.",
    }
)
"""What each instrument shows."""


def terms() -> Iterator[GlossaryEntry]:
    """Yield the technical terms."""
    for name, text in TERMS.items():
        yield GlossaryEntry(EntryKind.TERM, "Terms", name, (), text)


def signals() -> Iterator[GlossaryEntry]:
    """Yield the signals of services, in the order of their columns."""
    for spec in sorted(SIGNALS, key=lambda spec: spec.place):
        seen_by = ", ".join(ROLE_NAMES[role] for role in spec.seen_by)
        name = spec.spoken or spec.name
        others = {spec.name, spec.heading, spec.field} - {name}
        yield GlossaryEntry(
            EntryKind.SIGNAL,
            "Signals",
            name,
            tuple(sorted(others)),
            spec.meaning,
            facts(
                ("unit", (spec.unit,)),
                ("column", (f"{spec.heading}: {spec.help}",)),
                ("what it tells", (SIGNAL_NOTES.get(spec.field, ""),)),
                ("seen by", (seen_by,)),
            ),
        )


def instruments() -> Iterator[GlossaryEntry]:
    """Yield what an investigation can look at."""
    for source in Source:
        who = ", ".join(ROLE_NAMES[role] for role in roles_looking_at(source))
        yield GlossaryEntry(
            EntryKind.INSTRUMENT,
            "Instruments",
            source.value,
            (),
            INSTRUMENT_NOTES.get(source, "An instrument."),
            facts(("used by", (who,))),
        )


def actions() -> Iterator[GlossaryEntry]:
    """Yield the actions, in the groups of the menu."""
    groups = {spec.group: None for spec in VERBS.values()}
    for group in groups:
        for verb, spec in VERBS.items():
            if spec.group == group:
                yield _action(verb, spec)


_ANY_TARGETS: Final = {
    TargetKind.ANY: "any service, and for Oversight any automation agent",
    TargetKind.ENTRY: "services where users come in",
    TargetKind.AGENT: "automation agents",
    TargetKind.ROLE: "roles",
}


def _action(verb: ActionType, spec: VerbSpec) -> GlossaryEntry:
    who = ", ".join(ROLE_NAMES[role] for role in ROLES if role in roles_with(verb))
    on = _ANY_TARGETS.get(spec.target, "")
    if spec.target is TargetKind.SERVICE:
        on = ", ".join(sorted(kind.value for kind in spec.kinds))
    takes = f"about {spec.minutes} min until it takes effect" if spec.minutes else "at once"
    arguments = (
        f"{choice.name.replace('_', ' ')}: {', '.join(map(str, choice.choices)) or 'free'}"
        for choice in spec.arguments
        if len(choice.choices) < _MANY
    )
    weights = {name: f"{-value:g} points" for name, value in _weights().items()}
    name = verb_word(verb)
    return GlossaryEntry(
        EntryKind.ACTION,
        f"Actions: {spec.group}",
        name,
        tuple(alias for alias in (verb.words, *spec.aliases) if alias != name),
        spec.note,
        facts(
            ("who", (who,)),
            ("on", (on,)),
            ("takes", (takes,)),
            ("arguments", arguments),
            ("risk", (spec.risk.format_map(weights),)),
        ),
    )


_MANY: Final = 20


def _weights() -> dict[str, float]:
    """Return the points of each component."""
    weights = RewardWeights()
    return {
        name: value
        for name in weights.__dataclass_fields__
        if isinstance(value := getattr(weights, name), float)
    }
