"""The written policies of automation agents, with typed parameters, and the releases they make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from chaosops.env.models.topology import Line, Name, Strict

Percent = Annotated[int, Field(ge=0, le=100)]
Minutes = Annotated[int, Field(ge=0, le=240)]


class AutoscalerPolicy(Strict):
    """The policy of an autoscaler of all application services.

    Attributes:
        kind: `autoscaler`.
        cpu_low, cpu_high: The ends of the band in which it leaves a service alone, in percent.
        most_per_step: Replicas that it adds or removes at most in one step.
        minutes_between: Minutes from one step of a service to the next.
        least, most: Replicas; a service's own limit holds besides.
    """

    kind: Literal["autoscaler"]
    cpu_low: Percent = 20
    cpu_high: Percent = 70
    most_per_step: int = Field(default=1, ge=1, le=50)
    minutes_between: Minutes = 10
    least: int = Field(default=2, ge=1, le=1000)
    most: int = Field(default=1000, ge=1, le=1000)

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if self.cpu_low >= self.cpu_high:
            raise ValueError("cpu_low: it has to be below 'cpu_high'")
        if self.least > self.most:
            raise ValueError("least: it must not be above 'most'")
        return self


class HealthCheckPolicy(Strict):
    """The policy of a health checker of all application services, with a probe each ten seconds.

    Attributes:
        kind: `health_checker`.
        failed_probes: Probes in a row that an instance fails before it is ejected.
        most_ejected: Percent of a service's instances that are ejected at once at most.
        minutes_out: Minutes for which an instance is ejected, for each time that it was.
        least_left: Instances of a service that it never ejects.
        slow_answer: Percent of the usual answer time from which on a probe fails too; 0 for never.
    """

    kind: Literal["health_checker"]
    failed_probes: int = Field(default=12, ge=1, le=100)
    most_ejected: Percent = 20
    minutes_out: int = Field(default=3, ge=1, le=60)
    least_left: int = Field(default=2, ge=1, le=1000)
    slow_answer: int = Field(default=0, ge=0, le=10_000)


class DeployPolicy(Strict):
    """The policy of a deploy bot.

    Attributes:
        kind: `deploy_bot`.
        canary_minutes: Minutes for which a build runs as a canary before the first step.
        gates: Gates that a build has to pass before the first step.
        steps: Percent of the instances that run the build after each step.
        minutes_between: Minutes from one step to the next.
        freeze: Whether it promotes nothing, as during a freeze.
        again_after: Minutes after which it promotes again what was rolled back; 0 for never.
    """

    kind: Literal["deploy_bot"]
    canary_minutes: Minutes = 15
    gates: int = Field(default=6, ge=1, le=20)
    steps: tuple[Percent, ...] = Field(default=(30, 60, 100), min_length=1)
    minutes_between: Minutes = 15
    freeze: bool = False
    again_after: Minutes = 0


class CleanupPolicy(Strict):
    """The policy of a cleanup job of the stored objects of all application services.

    Attributes:
        kind: `cleanup_job`.
        kept_days: Days without a read after which an object may be deleted.
        most_deleted: Objects that one run deletes at most.
        minutes_between: The least minutes from one run to the next.
    """

    kind: Literal["cleanup_job"]
    kept_days: int = Field(default=30, ge=1, le=3650)
    most_deleted: int = Field(default=5000, ge=1, le=1_000_000)
    minutes_between: int = Field(default=15, ge=1, le=240)


class PatchPolicy(Strict):
    """The policy of a patcher of the hosts of all application services.

    Attributes:
        kind: `patcher`.
        most_at_once: Percent of a service's hosts that it patches at once, but at least one host.
        zones_at_once: Zones in which it patches at once at most.
        minutes_between: The least minutes from one window to the next.
    """

    kind: Literal["patcher"]
    most_at_once: Percent = 20
    zones_at_once: int = Field(default=1, ge=1, le=9)
    minutes_between: int = Field(default=20, ge=1, le=240)


class RenewalPolicy(Strict):
    """The policy of a certificate renewer of all services that users' requests reach.

    Attributes:
        kind: `certificate_renewer`.
        renew_before_days: Days left at which a certificate is renewed.
        reload_percent: Percent of the instances that load the new one.
        minutes_between: The least minutes from one renewal to the next.
    """

    kind: Literal["certificate_renewer"]
    renew_before_days: int = Field(default=60, ge=1, le=90)
    reload_percent: Percent = 100
    minutes_between: int = Field(default=40, ge=1, le=240)


class DnsPolicy(Strict):
    """The policy of an automation that writes the records of services by plans.

    Attributes:
        kind: `dns_automation`.
        oldest_plan: Minutes after which a plan is not applied any more.
        minutes_between: The least minutes from one record to the next.
    """

    kind: Literal["dns_automation"]
    oldest_plan: Minutes = 5
    minutes_between: int = Field(default=20, ge=1, le=240)


class RunbookPolicy(Strict):
    """The policy of an AI ops agent that restarts instances of application services.

    Attributes:
        kind: `ops_agent`.
        instances_per_grant: Instances that it restarts by one grant.
        minutes_between: The least minutes from one restart to the next.
    """

    kind: Literal["ops_agent"]
    instances_per_grant: int = Field(default=1, ge=1, le=100)
    minutes_between: int = Field(default=40, ge=1, le=240)


StandingPolicy = Annotated[
    AutoscalerPolicy
    | HealthCheckPolicy
    | DeployPolicy
    | CleanupPolicy
    | PatchPolicy
    | RenewalPolicy
    | DnsPolicy
    | RunbookPolicy,
    Field(discriminator="kind"),
]


def departed(standing: StandingPolicy, defect: Mapping[str, int]) -> StandingPolicy:
    """Return a policy with other parameters.

    Raises:
        ValueError: It has no such parameter, or the parameter can't be that.
    """
    changed: StandingPolicy = type(standing).model_validate({**standing.model_dump(), **defect})
    return changed


class ReleaseSpec(Strict):
    """A build that a deploy bot releases.

    Attributes:
        service, build: The service, and the name of the build.
        at: The minute in which its canary starts.
        gates: Gates that it passes.
    """

    service: Name
    build: Line
    at: Annotated[int, Field(ge=-240, le=240)]
    gates: int = Field(default=6, ge=0, le=20)


class DrawnRelease(ReleaseSpec):
    """A release of an episode.

    Attributes:
        is_faulty: Whether the build is the one that the cause is about.
    """

    is_faulty: bool = False


class DrawnRound(Strict):
    """A minute in which a controller goes through services by its written policy.

    Attributes:
        services: The services in its order; it works on the first at which something is due.
    """

    at: int
    services: tuple[Name, ...]


class DrawnController(Strict):
    """A controller of an episode.

    Attributes:
        standing: Its written policy.
        acts_on: The policy that it acts on; another one at `place` if it is the cause.
        place: The service at which it departs from the written policy; None if nowhere.
        since: The minute from which it does.
        phase: A number by which agents differ in when they request what, and how much of it.
        rounds: When it acts by its written policy, unless it acts on what it measures.
    """

    agent: Name
    standing: StandingPolicy
    acts_on: StandingPolicy
    place: Name | None = None
    since: int = 0
    phase: int = Field(default=0, ge=0, le=29)
    releases: tuple[DrawnRelease, ...] = ()
    rounds: tuple[DrawnRound, ...] = ()
