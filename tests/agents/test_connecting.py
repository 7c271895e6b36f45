"""What the expert reads from names, certificates and clocks, and from calls that fail."""

from __future__ import annotations

import pytest

from chaosops.agents.perception import facts
from chaosops.agents.reasoning import symptoms
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole, Sign, Source
from tests.env.situations import scenario, world

SOURCE = "calls-not-getting-through"

FINE = {Sign.NAME_LOOKUP_FINE, Sign.CERTIFICATE_VALID, Sign.CLOCKS_AGREE}

SHOWN = {
    "empty_record": (Sign.RECORD_EMPTY, Sign.NAME_LOOKUP_FINE),
    "resolver_down": (Sign.NAME_LOOKUP_FAILS, Sign.NAME_LOOKUP_FINE),
    "rogue_dns_plan": (Sign.PLAN_STALE, Sign.NAME_LOOKUP_FINE),
    "expired_certificate": (Sign.CERTIFICATE_EXPIRED, Sign.CERTIFICATE_VALID),
    "half_rolled_certificate": (Sign.OLD_CERTIFICATE_SERVED, Sign.CERTIFICATE_VALID),
    "clock_skew": (Sign.CLOCK_OFF, Sign.CLOCKS_AGREE),
}
"""The sign of each cause, and the one that it replaces."""

OWN = FINE | {sign for sign, _instead in SHOWN.values()}


@pytest.mark.few(1)
@pytest.mark.parametrize("minutes", [0, 10])
@pytest.mark.parametrize("cause", SHOWN)
def test_probes_of_the_place_show_the_sign_of_the_cause_alone(cause: str, minutes: int) -> None:
    made = scenario(SOURCE, cause)
    here = world(made)
    for _minute in range(minutes):
        here.advance()
    place = made.incident.drawn.place
    found = {fact.sign for fact in facts(here.look(AgentRole.SRE, Source.NETWORK, place))}
    sign, instead = SHOWN[cause]
    assert found & OWN == (FINE - {instead}) | {sign}


@pytest.mark.few(2)
@pytest.mark.parametrize("cause", SHOWN)
def test_calls_do_not_arrive_at_the_place_which_does_well(cause: str) -> None:
    made = scenario(SOURCE, cause)
    env = ChaosOpsEnvironment()
    env.reset(made)
    (fact,) = symptoms(env.view_of(AgentRole.SRE))
    assert (fact.sign, fact.place) == (Sign.CALLS_DO_NOT_ARRIVE, made.incident.drawn.place)


def test_calls_arrive_where_the_service_itself_fails() -> None:
    env = ChaosOpsEnvironment()
    env.reset(scenario("sign-in-errors", "bad_release"))
    assert [fact.sign for fact in symptoms(env.view_of(AgentRole.SRE))] == [Sign.CALLS_ARRIVE]
