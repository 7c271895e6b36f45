"""The document of a post-mortem, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from chaosops.env.models import TURN_ORDER
from chaosops.play.follow_ups import told
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, percent, shown
from chaosops.play.postmortem.action_items import Aim, action_items
from chaosops.play.postmortem.assessment import assess
from chaosops.play.postmortem.effects import Judgement, orders
from chaosops.play.postmortem.impact import impact_of
from chaosops.play.postmortem.knowledge import known
from chaosops.play.postmortem.markdown import bullets, escaped, paragraph, table
from chaosops.play.postmortem.played import PlayedIncident
from chaosops.play.postmortem.timeline import events, who
from chaosops.play.verdicts import told_verdict
from chaosops.presenter.parts import STAKES


def document(played: PlayedIncident, charts: Mapping[str, str]) -> str:
    """Write the post-mortem.

    Args:
        charts: The file names of charts, by what they show.
    """
    lines = [f"# Post-mortem: {escaped(played.status.title, 200)}", ""]
    for caveat in played.caveats:
        lines += [f"> Note: {escaped(caveat)}.", ""]
    sections: tuple[tuple[str, Iterable[str]], ...] = (
        ("Summary", _summary(played)),
        ("Impact", _impact(played, charts)),
        ("Cause", _cause(played)),
        ("What eased it, and what fixed it", _effects(played)),
        ("What was known when, and by whom", _known(played)),
        ("Diagnoses", _diagnoses(played)),
        ("What went well", bullets(assess(played).well)),
        ("What went badly", bullets(assess(played).badly)),
        ("Action items", _actions(played)),
        ("Timeline", _timeline(played)),
    )
    for heading, body in sections:
        found = list(body)
        if found:
            lines += [f"## {heading}", "", *found, ""]
    return "\n".join(lines)


def _summary(played: PlayedIncident) -> Iterator[str]:
    status, impact = played.status, impact_of(played)
    least, minute = impact.lowest
    words = [f"At {clock(status, 0)} UTC the on-call was paged: {shown(status.title, 200)}."]
    words.append(
        f"Availability fell to {percent(least)} at {clock(status, minute)} and missed the "
        f"objective of {status.slo * 100:g} % in {len(impact.below)} of "
        f"{len(impact.availability)} minutes."
        if impact.below
        else f"Availability stayed within the objective of {status.slo * 100:g} %."
    )
    if played.scenario is not None:
        cause = in_words(played.scenario.failure_type)
        first = played.causes[:1]
        at = first[0][1] if first else " and ".join(shown(each, 80) for each in played.places)
        words.append(f"The cause was {cause}{f' at {at}' if at else ''}.")
        words += [
            f"{in_words(each.name).capitalize()} at {each.place} followed from "
            f"{clock(status, each.minute)} on."
            for each in played.followed
            if each.minute is not None
        ]
    elif right := [made for made in played.views[-1].diagnoses if made.right]:
        words.append(f"The cause was {in_words(right[0].cause)}.")
    cure = [order for order in orders(played) if order.judgement is Judgement.FIXED]
    turns = len(played.steps)
    if played.resolved:
        by = ""
        if cure:
            fix = cure[-1]
            by = (
                f" by {fix.words}, which {ROLE_NAMES[fix.role]} ordered at "
                f"{clock(status, fix.ordered)}"
            )
        words.append(f"It was resolved after {turns} min{by}.")
    elif played.finished:
        words.append(f"It was not resolved within {turns} min.")
    else:
        words.append(f"The record ends after {turns} min, before the incident was over.")
    yield paragraph(" ".join(words), 2_000)
    yield ""
    rows = [("incident", played.label), ("paged", f"{clock(status, 0)} UTC")]
    if played.onset is not None:
        rows.append(("began", f"{clock(status, played.onset)} UTC"))
    rows.append(("ended", f"{clock(status, status.minute)} UTC"))
    for role in TURN_ORDER:
        if role in played.seats:
            rows.append((ROLE_NAMES[role], shown(played.seats[role], 80)))
    yield from table(("", ""), rows)


def _impact(played: PlayedIncident, charts: Mapping[str, str]) -> Iterator[str]:
    impact, status = impact_of(played), played.status
    least, minute = impact.lowest
    rows = [
        ("lowest availability", f"{percent(least)} at {clock(status, minute)}"),
        ("minutes below the objective", len(impact.below)),
        ("error budget", f"{impact.budget[0]} % at the page, {impact.budget[1]} % at the end"),
    ]
    if impact.lost is not None:
        lost, at = impact.lost
        rows.append(("failed user requests", f"{lost * 1000:,.0f} by {clock(status, at)}"))
        rows.append(("support tickets seen", impact.tickets))
    yield from table(("", ""), rows)
    for what, name in charts.items():
        yield ""
        yield f"![{escaped(what)}](<{name}>)"


def _cause(played: PlayedIncident) -> Iterator[str]:
    if played.scenario is None:
        return
    debrief = played.scenario.incident.debrief
    yield f"**{escaped(debrief.title)}**"
    yield ""
    yield paragraph(debrief.happened, 4_000)
    if played.cause is not None:
        status, course = played.status, played.cause.course
        if course.hard is not None and played.onset is not None:
            yield ""
            began = clock(status, played.onset)
            yield escaped(f"It began at {began}. If nobody stops it: {course.hard.text}.")
    evidence = [
        item
        for item in played.scenario.incident.evidence
        if played.scenario.failure_type in item.supports
    ]
    if evidence:
        yield ""
        twins = ", ".join(in_words(name) for name in played.cause.twins) if played.cause else ""
        yield escaped(f"What tells it from its twins ({twins}):" if twins else "What points to it:")
        yield ""
        yield from bullets(f"{item.source.value} of {item.at}: {item.text}" for item in evidence)
    for word, text in (
        ("What can mislead here", debrief.misleading),
        ("Lesson", debrief.lesson),
        ("Similar outages", debrief.same_kind),
    ):
        yield ""
        yield f"**{word}.** {escaped(text, 4_000)}"
    for word, text in told(played.followed, played.views[-1].diagnoses, played.status):
        yield ""
        yield f"**{word}.** {escaped(text, 8_000)}"


def _effects(played: PlayedIncident) -> list[str]:
    status = played.status
    return table(
        ("ordered", "by", "what", "took effect", "measured then", "judged"),
        (
            (
                clock(status, order.ordered),
                ROLE_NAMES[order.role],
                order.words,
                "" if order.lands is None else clock(status, order.lands),
                order.measured,
                order.judgement.value,
            )
            for order in orders(played)
        ),
    )


def _known(played: PlayedIncident) -> list[str]:
    status = played.status
    pointed = {True: "yes", False: "no", None: ""}
    return table(
        ("seen", "by", "where", "what it showed", "points to the cause", "shared"),
        (
            (
                clock(status, look.minute),
                ROLE_NAMES[look.role],
                f"{look.source.value} of {look.target}",
                look.text or "it ended before this was read",
                pointed[look.tells],
                "never" if look.shared is None else clock(status, look.shared),
            )
            for look in known(played)
        ),
    )


def _diagnoses(played: PlayedIncident) -> list[str]:
    status = played.status
    return table(
        ("at", "by", "cause", "place", "stake", "verdict"),
        (
            (
                clock(status, made.minute),
                ROLE_NAMES[made.role],
                in_words(made.cause),
                made.place,
                "" if made.stake is None else STAKES[made.stake],
                told_verdict(made, played.scenario),
            )
            for made in played.views[-1].diagnoses
        ),
    )


def _actions(played: PlayedIncident) -> list[str]:
    order = list(Aim)
    items = sorted(action_items(played), key=lambda item: order.index(item.aim))
    return table(("for", "what", "owner"), ((i.aim.value, i.text, i.owner) for i in items))


def _timeline(played: PlayedIncident) -> list[str]:
    status = played.status
    return table(
        ("time", "min", "kind", "who", "what"),
        (
            (
                clock(status, event.minute),
                f"{event.minute:+d}" if event.minute else "0",
                event.kind.value,
                who(event),
                event.text,
            )
            for event in events(played)
        ),
    )
