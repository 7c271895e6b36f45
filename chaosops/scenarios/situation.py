"""The format of situation files: a page, a topology, and the possible causes.

The seed draws the cause, its place, and everything around it.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from chaosops.env.models import Difficulty
from chaosops.env.models.topology import Line, Name, Strict
from chaosops.scenarios.agent_policies import DeployPolicy, ReleaseSpec, StandingPolicy
from chaosops.scenarios.following import FollowSpec, in_order
from chaosops.scenarios.schema import AgentSpec, Prose, TicketSpec

LEAST_CASTS = {
    Difficulty.TUTORIAL: 1,
    Difficulty.EASY: 3,
    Difficulty.MEDIUM: 5,
    Difficulty.HARD: 5,
}
"""The least possible causes of a situation, by level."""


class CastSpec(Strict):
    """A possible cause.

    Attributes:
        cause: Its id.
        places, callers: Its possible places, and callers that suffer; empty for all that fit.
        follows: Causes that follow it, or one another.
        lesson: What to learn from it behind this page; by default its cause's lesson.
        same_kind: A public incident that this page is like; by default its cause's.
    """

    cause: Name
    places: tuple[Name, ...] = ()
    callers: tuple[Name, ...] = ()
    follows: tuple[FollowSpec, ...] = Field(default=(), max_length=3)
    lesson: Prose | None = None
    same_kind: Line | None = None

    @model_validator(mode="after")
    def _follows_on(self) -> Self:
        names = [self.cause, *(spec.cause for spec in self.follows)]
        reached = {spec.cause for spec in in_order(self.follows, self.cause)}
        for i, spec in enumerate(self.follows):
            if spec.cause in names[: i + 1]:
                raise ValueError(
                    f"follows.{i}.cause: '{spec.cause}' is in this chain already; name another"
                )
            if spec.of is not None and spec.of not in names:
                raise ValueError(
                    f"follows.{i}.of: '{spec.of}' is not in this chain; "
                    f"there are: {', '.join(names)}"
                )
            if spec.of == spec.cause:
                raise ValueError(
                    f"follows.{i}.of: '{spec.of}' cannot follow itself; remove it to let it "
                    f"follow {self.cause}"
                )
        for i, spec in enumerate(self.follows):
            if spec.cause not in reached:
                raise ValueError(
                    f"follows.{i}.of: {spec.cause} and {spec.of} wait for each other; "
                    f"let one of them follow {self.cause}"
                )
        return self


class Decoy(Strict):
    """Something that looks bad and hurts nobody, in some of the seeds.

    Attributes:
        at: The service; no caller may require its answers.
        part, parameter, value: What is injected there, as an effect of a cause is.
        begins, ends: The minutes between which it begins, and between which it ends.
        text: What it was, for the debrief.
    """

    at: Name
    part: Name
    parameter: Name
    value: float = Field(ge=-1e6, le=1e6)
    begins: tuple[int, int] = (-20, -6)
    ends: tuple[int, int] = (24, 60)
    text: Line


class SituationAgent(AgentSpec):
    """An automation agent; what it does follows from `standing`, or is scripted as `events`.

    Attributes:
        name, duty, policy: Its name, its duty, and its policy in words.
        events: What it did and does, for an agent without `standing`.
        standing: Its written policy, by which it acts on the fleet.
        releases: Builds that it releases if it is a deploy bot.
    """

    standing: StandingPolicy | None = None
    releases: tuple[ReleaseSpec, ...] = ()

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if self.standing is not None and self.events:
            raise ValueError(
                "events: what this agent does follows from 'standing'; remove one of them"
            )
        if self.releases and not isinstance(self.standing, DeployPolicy):
            raise ValueError("releases: only an agent whose standing is a deploy_bot has them")
        return self


class SituationHints(Strict):
    """Hints at two levels; the third, which names the answer, is generated.

    Attributes:
        nudge: Where to look.
        direction: What to compare.
    """

    nudge: Prose
    direction: Prose


class Situation(Strict):
    """A situation.

    Attributes:
        id: Its id, which is also the name of its file.
        level: Its level; medium and hard ones have at least five possible causes.
        topology: The fleet.
        traffic: Factor of the usual user requests.
        automation: The automation agents of the fleet.
        tickets: What customers write.
        hints: The hints that a player can buy.
        stream_key: The key of the random streams, so that texts can be reworded.
        title: A symptom, as a page or a customer describes it.
        page: The topology's page that starts it.
        max_steps: Rounds of the four roles.
        par: The turns within which resolving it earns the bonus.
        hold: The minutes for which the objective has to be met.
        casts: The possible causes.
        decoys: Possible decoys; the seed draws one of them, or none.
        misleading: What looked like the cause and was not, whatever was drawn.
    """

    id: Name
    stream_key: Name
    title: Line
    level: Difficulty
    topology: Name
    page: Name
    max_steps: int = Field(ge=6, le=30)
    par: int = Field(ge=1, le=120)
    hold: int = Field(default=5, ge=2, le=15)
    traffic: float = Field(default=1.0, gt=0, le=3)
    casts: tuple[CastSpec, ...] = Field(min_length=1)
    automation: tuple[SituationAgent, ...] = Field(min_length=1)
    decoys: tuple[Decoy, ...] = ()
    tickets: tuple[TicketSpec, ...] = ()
    hints: SituationHints
    misleading: Prose

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        causes = [spec.cause for spec in self.casts]
        if len(set(causes)) < len(causes):
            twice = next(name for name in causes if causes.count(name) > 1)
            raise ValueError(f"casts: '{twice}' is listed twice; list all its places in one entry")
        least = LEAST_CASTS[self.level]
        if len(causes) < least:
            raise ValueError(
                f"casts: level {self.level.value} needs at least {least} causes; "
                f"add {least - len(causes)}"
            )
        for i, cast in enumerate(self.casts):
            for k, spec in enumerate(cast.follows):
                if spec.after[1] > self.par:
                    raise ValueError(
                        f"casts.{i}.follows.{k}.after: it may begin when the par of {self.par} is "
                        "over; let it begin earlier"
                    )
        names = [agent.name for agent in self.automation]
        if len(set(names)) < len(names):
            raise ValueError("automation: names must differ")
        return self
