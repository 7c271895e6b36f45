"""Which controller a policy asks for: one entry per kind of policy.

To add a controller, write its file and its builder, and add its line to `_BUILDERS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from chaosops.env.controllers.autoscaler import Autoscaler, Limits
from chaosops.env.controllers.base import Controller, Scope
from chaosops.env.controllers.certificate_renewer import CertificateRenewer, RenewalLimits
from chaosops.env.controllers.cleanup_job import CleanupJob, Retention
from chaosops.env.controllers.deploy_bot import DeployBot, Release
from chaosops.env.controllers.dns_automation import DnsAutomation, PlanLimits
from chaosops.env.controllers.health_checker import HealthChecker, ProbeLimits
from chaosops.env.controllers.ops_agent import GrantLimits, OpsAgent
from chaosops.env.controllers.patcher import Patcher, PatchLimits
from chaosops.env.injection import part_number
from chaosops.env.models import ServiceKind
from chaosops.env.physics.certificate import Certificate
from chaosops.env.physics.handles import Handles
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.names import Names
from chaosops.env.physics.objects import Objects
from chaosops.env.physics.quota import Quota
from chaosops.scenarios.agent_policies import (
    AutoscalerPolicy,
    CleanupPolicy,
    DeployPolicy,
    DnsPolicy,
    DrawnController,
    HealthCheckPolicy,
    PatchPolicy,
    RenewalPolicy,
    RunbookPolicy,
)


def new_controllers(
    drawn: tuple[DrawnController, ...], mesh: Mesh, *, later: int = 0
) -> list[Controller]:
    """Return the controllers of an episode, which have done nothing yet.

    Args:
        later: Minutes by which their defects and faulty releases come later than drawn.
    """
    return [_BUILDERS[one.acts_on.kind](one, mesh, later) for one in drawn]


def _scope(
    drawn: DrawnController,
    mesh: Mesh,
    later: int,
    services: tuple[int, ...],
    parts: tuple[int, ...],
) -> Scope:
    place = -1 if drawn.place is None else mesh.blueprint.index[drawn.place]
    number = mesh.blueprint.index
    rounds = {one.at: tuple([number[name] for name in one.services]) for one in drawn.rounds}
    return Scope(drawn.agent, drawn.phase, services, parts, place, drawn.since + later, rounds)


def _autoscaler(drawn: DrawnController, mesh: Mesh, later: int) -> Controller:
    standing, acts_on = drawn.standing, drawn.acts_on
    assert isinstance(standing, AutoscalerPolicy)
    assert isinstance(acts_on, AutoscalerPolicy)
    services, quotas = _apps(mesh, Quota.name)
    return Autoscaler(
        _scope(drawn, mesh, later, services, quotas),
        _limits(standing),
        _limits(acts_on),
    )


def _health_checker(drawn: DrawnController, mesh: Mesh, later: int) -> Controller:
    standing, acts_on = drawn.standing, drawn.acts_on
    assert isinstance(standing, HealthCheckPolicy)
    assert isinstance(acts_on, HealthCheckPolicy)
    services, handles = _apps(mesh, Handles.name)
    return HealthChecker(
        _scope(drawn, mesh, later, services, handles),
        _probe_limits(standing),
        _probe_limits(acts_on),
    )


def _cleanup_job(drawn: DrawnController, mesh: Mesh, later: int) -> Controller:
    standing, acts_on = drawn.standing, drawn.acts_on
    assert isinstance(standing, CleanupPolicy)
    assert isinstance(acts_on, CleanupPolicy)
    services, objects = _apps(mesh, Objects.name)
    return CleanupJob(
        _scope(drawn, mesh, later, services, objects),
        _retention(standing),
        _retention(acts_on),
    )


def _deploy_bot(drawn: DrawnController, mesh: Mesh, later: int) -> Controller:
    standing, acts_on = drawn.standing, drawn.acts_on
    assert isinstance(standing, DeployPolicy)
    assert isinstance(acts_on, DeployPolicy)
    bot = DeployBot(
        drawn.agent,
        drawn.phase,
        standing.gates,
        acts_on.steps,
        acts_on.minutes_between,
        acts_on.freeze,
        acts_on.again_after,
    )
    for release in drawn.releases:
        policy = acts_on if release.is_faulty else standing
        bot.releases.append(
            Release(
                mesh.blueprint.index[release.service],
                release.at + (later if release.is_faulty else 0),
                release.gates,
                release.is_faulty,
                policy.canary_minutes,
                policy.gates,
            )
        )
    return bot


def _patcher(drawn: DrawnController, mesh: Mesh, later: int) -> Controller:
    standing, acts_on = drawn.standing, drawn.acts_on
    assert isinstance(standing, PatchPolicy)
    assert isinstance(acts_on, PatchPolicy)
    services = tuple(
        traits.number
        for traits in mesh.blueprint.services
        if traits.kind is ServiceKind.APP and traits.zones > 1 and traits.replicas > 1
    )
    return Patcher(
        _scope(drawn, mesh, later, services, ()),
        _patch_limits(standing),
        _patch_limits(acts_on),
    )


def _certificate_renewer(drawn: DrawnController, mesh: Mesh, later: int) -> Controller:
    standing, acts_on = drawn.standing, drawn.acts_on
    assert isinstance(standing, RenewalPolicy)
    assert isinstance(acts_on, RenewalPolicy)
    services, certificates = _called(mesh, Certificate.name)
    return CertificateRenewer(
        _scope(drawn, mesh, later, services, certificates),
        _renewal_limits(standing),
        _renewal_limits(acts_on),
    )


def _dns_automation(drawn: DrawnController, mesh: Mesh, later: int) -> Controller:
    standing, acts_on = drawn.standing, drawn.acts_on
    assert isinstance(standing, DnsPolicy)
    assert isinstance(acts_on, DnsPolicy)
    services, names = _called(mesh, Names.name)
    return DnsAutomation(
        _scope(drawn, mesh, later, services, names),
        PlanLimits(standing.oldest_plan, standing.minutes_between),
        PlanLimits(acts_on.oldest_plan, acts_on.minutes_between),
    )


def _ops_agent(drawn: DrawnController, mesh: Mesh, later: int) -> Controller:
    standing, acts_on = drawn.standing, drawn.acts_on
    assert isinstance(standing, RunbookPolicy)
    assert isinstance(acts_on, RunbookPolicy)
    services = tuple(
        traits.number
        for traits in mesh.blueprint.services
        if traits.kind is ServiceKind.APP and traits.replicas > 1
    )
    return OpsAgent(
        _scope(drawn, mesh, later, services, ()),
        GrantLimits(standing.instances_per_grant, standing.minutes_between),
        GrantLimits(acts_on.instances_per_grant, acts_on.minutes_between),
    )


def _called(mesh: Mesh, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the services that have a component of a name, and its indices."""
    found = [k for k, part in enumerate(mesh.parts) if part.name == name]
    return tuple(mesh.parts[k].service for k in found), tuple(found)


def _apps(mesh: Mesh, part: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the numbers of all applications, and the indices of their components of a name."""
    services = tuple(
        traits.number for traits in mesh.blueprint.services if traits.kind is ServiceKind.APP
    )
    return services, tuple(part_number(mesh, service, part) for service in services)


def _limits(policy: AutoscalerPolicy) -> Limits:
    return Limits(
        policy.cpu_low / 100.0,
        policy.cpu_high / 100.0,
        policy.most_per_step,
        policy.minutes_between,
        policy.least,
        policy.most,
    )


def _renewal_limits(policy: RenewalPolicy) -> RenewalLimits:
    return RenewalLimits(policy.renew_before_days, policy.reload_percent, policy.minutes_between)


def _probe_limits(policy: HealthCheckPolicy) -> ProbeLimits:
    return ProbeLimits(
        policy.failed_probes,
        policy.most_ejected,
        policy.minutes_out,
        policy.least_left,
        policy.slow_answer / 100.0,
    )


def _retention(policy: CleanupPolicy) -> Retention:
    return Retention(policy.kept_days, policy.most_deleted, policy.minutes_between)


def _patch_limits(policy: PatchPolicy) -> PatchLimits:
    return PatchLimits(policy.most_at_once, policy.zones_at_once, policy.minutes_between)


_BUILDERS: Final[Mapping[str, Callable[[DrawnController, Mesh, int], Controller]]] = (
    MappingProxyType(
        {
            "autoscaler": _autoscaler,
            "health_checker": _health_checker,
            "deploy_bot": _deploy_bot,
            "cleanup_job": _cleanup_job,
            "patcher": _patcher,
            "certificate_renewer": _certificate_renewer,
            "dns_automation": _dns_automation,
            "ops_agent": _ops_agent,
        }
    )
)
