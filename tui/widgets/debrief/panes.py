"""The debrief's panes: what it added up to, the lesson, the timeline, the evidence, the expert."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from textwrap import wrap
from typing import Final

from textual.content import Content

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole, Diagnosis, Status
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.process_figures import ProcessFigures
from chaosops.play.counterfactuals import Cost, Hindsight
from chaosops.play.debrief import USUAL_COURSE, LedgerFact, TimelineEntry
from chaosops.play.formatting import MUTED, ROLE_NAMES, bar, clock, in_words, shown, signed
from chaosops.play.hindsight_words import (
    LEAST,
    MEASURE,
    cost_words,
    gap_words,
    without_cost_words,
)
from chaosops.play.outcome import Outcome
from chaosops.play.process_words import process_words
from chaosops.play.stars import STARS, Star, shape_of
from chaosops.play.verdicts import told_verdict
from chaosops.play.wording import describe_in
from chaosops.presenter.parts import STAKES
from chaosops.scenarios.schema import Debrief
from tui.widgets.basic.lines import Lines, Row

_BAR = 24
_MOST_LINES = 4
"""Of a turn in two columns: a long message is cut there."""


Fill = Callable[[int], list[Row]]
"""Makes a pane's rows for a width in cells."""


class DebriefPane(Lines):
    """Rows under a title, made anew for each width."""

    def __init__(self, name: str, title: str, explained: str, terms: tuple[str, ...] = ()) -> None:
        super().__init__(name)
        self.TITLE, self.EXPLAINED, self.TERMS = title, explained, terms
        self.border_title = Content(title)
        self._made: Fill | None = None

    def fill(self, made: Fill) -> None:
        """Show the rows that `made` gives, now and after each change of the width."""
        self._made = made
        self.width_changed()

    def rows_at(self, width: int) -> list[Row]:
        """Return the rows for a width."""
        return [] if self._made is None else self._made(width)

    def width_changed(self) -> None:
        """Make the rows for the new width."""
        if self._made is not None:
            self.set_rows(self.rows_at(max(1, self.scrollable_content_region.width)))


def star_rows(withheld: Mapping[Star, str]) -> list[Row]:
    """Return the stars: what an earned one needed, and what one that was not earned lacked."""
    lacks = set(withheld.values())
    if len(withheld) == len(STARS) and len(lacks) == 1:
        head = Content.styled(f"{shape_of(())} No star: ", "bold")
        return [Row(head + Content(f"{lacks.pop()}."), len(shape_of(())) + 1)]
    rows = []
    for star, needs in STARS.items():
        sign = shape_of(() if star in withheld else (star,))[list(Star).index(star)]
        head = Content.assemble((f"{sign} {star.value.capitalize():<6} ", "bold"))
        said = Content(f"not earned: {withheld[star]}") if star in withheld else None
        rows.append(Row(head + (said or Content.styled(needs, MUTED)), head.cell_length))
    return rows


def deed_rows(deeds: Iterable[str]) -> list[Row]:
    """Return what deeds earned or cost, a row each."""
    rows = [Row(Content(words), 2) for words in deeds]
    return [Row(Content.styled("What deeds earned or cost", "bold")), *rows] if rows else []


def sums_rows(result: Outcome) -> list[Row]:
    """Return the sums of the components as a waterfall from zero to the score."""
    if not result.sums:
        return [Row(Content.styled("No rewards.", MUTED))]
    running, edges = 0.0, [0.0]
    for _, value in result.sums:
        running += value
        edges.append(running)
    low, high = min(edges), max(edges)
    span = max(high - low, 1e-9)

    def cell(value: float) -> int:
        return round((value - low) / span * _BAR)

    rows = []
    at = 0.0
    for word, value in result.sums:
        start, end = sorted((cell(at), cell(at + value)))
        at += value
        mark = " " * start + ("█" if value > 0 else "░") * max(1, end - start)
        style = "$success" if value > 0 else "$error"
        rows.append(
            Row(
                Content.assemble(
                    f"{word:<17}", (f"{signed(value):>8} ", "bold"), (mark[: _BAR + 1], style)
                )
            )
        )
    rows.append(Row(Content.assemble(f"{'score':<17}", (f"{signed(result.score):>8}", "bold"))))
    parts = f"team {signed(result.team)}   oversight {signed(result.oversight)}"
    rows.append(Row(Content.styled(parts, MUTED)))
    return rows


_VERDICT_MARKS: Final = {True: "✔ ", False: "✖ ", None: ""}


def diagnosis_rows(diagnoses: Sequence[Diagnosis], status: Status, truth: Scenario) -> list[Row]:
    """Return who declared which cause, when, and whether it was right."""
    if not diagnoses:
        return [Row(Content.styled("No diagnosis was made.", MUTED))]
    return [
        Row(
            Content.assemble(
                (f"{clock(status, made.minute)} ", MUTED),
                f"{ROLE_NAMES[made.role]}: ",
                (in_words(made.cause), "bold"),
                f" at {shown(made.place)}" if made.place else "",
                f", {STAKES[made.stake]}" if made.stake is not None else "",
                f"  {_VERDICT_MARKS[made.right]}{told_verdict(made, truth)}",
            ),
            6,
        )
        for made in diagnoses
    ]


def lesson_rows(
    debrief: Debrief,
    reveal: Iterable[tuple[str, str]],
    twins: Iterable[tuple[str, str]],
    followed: Iterable[tuple[str, str]],
) -> list[Row]:
    """Return the cause and its usual course, what can mislead, and what to learn from it.

    Args:
        reveal: What was said, what it was, and what decides; it comes first.
        twins: What would have told the twins of the cause.
        followed: What followed, as headings and paragraphs.
    """
    rows = [
        Row(Content.assemble((f"{heading}  ", "bold"), shown(text, 1_000)), 2)
        for heading, text in reveal
    ]
    rows += [Row(Content("")), Row(Content.styled(shown(debrief.title), "bold")), Row(Content(""))]
    rows += _paragraphs(
        ((USUAL_COURSE, debrief.happened), ("What can mislead here", debrief.misleading))
    )
    for heading, text in twins:
        rows.append(Row(Content.assemble((f"{heading}  ", "bold"), shown(text, 1_000)), 2))
    rows.append(Row(Content("")))
    rows += _paragraphs(
        (("The lesson", debrief.lesson), ("Similar outages", debrief.same_kind), *followed)
    )
    return rows[:-1]


def _paragraphs(told: Iterable[tuple[str, str]]) -> Iterator[Row]:
    """Yield texts below their headings' words, with an empty line after each."""
    for heading, text in told:
        yield Row(Content.assemble((f"{heading}  ", "bold"), shown(text, 8_000)))
        yield Row(Content(""))


_MARKS = {
    "fault": "✖",
    "alert": "!",
    "landed": "↓",
    "users": "≈",
    "automation": "·",
}


def timeline_rows(entries: Sequence[TimelineEntry], status: Status) -> list[Row]:
    """One axis: the clock, what the world did, and who did what; yours are marked."""
    rows = []
    for entry in entries:
        time = f"{clock(status, entry.minute)} {entry.minute:>+4} "
        if entry.turn is None:
            style = "bold" if entry.kind in ("fault", "users") else MUTED
            text = Content.styled(f"  {_MARKS[entry.kind]} {shown(entry.text, 300)}", style)
        else:
            who = ROLE_NAMES[entry.role] if entry.role is not None else ""
            style = "bold $accent" if entry.mine else ""
            text = Content.assemble(
                ("▸ " if entry.mine else "  ", style),
                (f"t{entry.turn + 1} {who} ", style),
                (shown(entry.text, 300), style),
                (f"  {signed(entry.reward)}", MUTED),
            )
        rows.append(Row(Content.assemble((time, MUTED), text), len(time) + 4))
    return rows


def ledger_rows(facts: Sequence[LedgerFact], status: Status) -> list[Row]:
    """Return each fact: where, from when, by whom, whether it was seen, and what it says."""
    rows = []
    for fact in facts:
        who = " or ".join(ROLE_NAMES[role] for role in fact.roles) or "nobody"
        if fact.looked is None:
            seen, style = "○ not investigated", MUTED
        else:
            minute, role = fact.looked
            late = minute - fact.knowable
            seen = (
                f"● {ROLE_NAMES[role]} at {clock(status, minute)}, {late} min after it was possible"
            )
            style = "bold"
        rows.append(
            Row(
                Content.assemble(
                    (fact.where, "bold"),
                    (f"  {who}, from {clock(status, fact.knowable)}  ", MUTED),
                    (seen, style),
                ),
                2,
            )
        )
        rows.append(Row(Content.assemble("  ", shown(fact.text, 600)), 2))
        says = [f"for {', '.join(fact.supports)}"] if fact.supports else []
        if says:
            rows.append(Row(Content.styled(f"  speaks {'; '.join(says)}", MUTED), 2))
        rows.append(Row(Content("")))
    return rows[:-1]


def progress_rows(done: float) -> list[Row]:
    """Return the progress of the expert's line."""
    text = f"The expert is playing the same seed  {bar(done, 20)} {done * 100:.0f} %"
    return [Row(Content.styled(text, MUTED))]


def process_rows(figures: ProcessFigures) -> list[Row]:
    """Return how the team worked, a row for each figure."""
    return [Row(Content(words), 2) for words in process_words(figures)]


def gap_rows(seen: Hindsight, result: Outcome) -> list[Row]:
    """Return where the points between the expert and the player went, and the costliest turn."""
    rows = [Row(Content(words), 2) for words in gap_words(seen, result)]
    cost = seen.costliest
    if cost is None or cost.lost < LEAST:
        return [*rows, Row(Content(without_cost_words(seen)), 2)]
    return [*rows, _cost_row(cost, "Costliest  ")]


def _cost_row(cost: Cost, label: str) -> Row:
    return Row(Content.assemble((label, "bold"), cost_words(cost)), len(label))


def beside_rows(
    steps: Sequence[EpisodeStep], seen: Hindsight, people: frozenset[AgentRole], width: int
) -> list[Row]:
    """Your line beside the expert's, turn by turn, then what each turn of yours cost."""
    rows = [
        Row(
            Content.assemble(
                ("Expert  ", "bold"),
                f"{'resolved' if seen.expert.resolved else 'not resolved'} in "
                f"{len(seen.expert.steps)} min, score {signed(seen.expert.score)}. "
                "Left: your game. Right: the expert in every seat.",
            )
        ),
        Row(Content("")),
    ]
    half = max(8, (width - 17) // 2)
    mine, theirs = list(steps), list(seen.expert.steps)
    for turn in range(max(len(mine), len(theirs))):
        left = mine[turn] if turn < len(mine) else None
        right = theirs[turn] if turn < len(theirs) else None
        role = known.role if (known := left or right) is not None else None
        rows += _turn_rows(turn, role, (_said(left), _said(right)), half, own=role in people)
    costs = [_cost_row(cost, "  ") for cost in seen.costs if cost.lost >= LEAST]
    if costs:
        heading = Content.styled("What your turns cost", "bold")
        rows += [Row(Content("")), Row(heading), *costs, Row(Content.styled(MEASURE, MUTED))]
    return rows


def _said(step: EpisodeStep | None) -> str:
    return "" if step is None else describe_in(step.observation.view, step.action)


def _turn_rows(
    turn: int, role: AgentRole | None, said: tuple[str, str], width: int, *, own: bool
) -> Iterator[Row]:
    """Return a turn in two columns, each wrapped; equal texts are shown once."""
    style = "bold" if own else MUTED
    heads = [f"t{turn + 1:<3}{'' if role is None else ROLE_NAMES[role]:<10}"]
    left, right = (wrap(text, width, max_lines=_MOST_LINES, placeholder="…") for text in said)
    if said[0] == said[1]:
        right = ["the same"]
    for head, one, other in zip_longest(heads, left, right, fillvalue=""):
        mark = "▸" if own and head else " "
        yield Row(
            Content.assemble(
                (mark, "bold $accent"),
                (f"{head:<14}", style),
                Content(one).truncate(width, ellipsis=True, pad=True),
                ("│ ", MUTED),
                Content.styled(other, MUTED if said[0] == said[1] else "").truncate(width),
            )
        )
