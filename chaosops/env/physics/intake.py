"""What comes into an application besides its ordinary load, and what a request may cost it.

- People who come for one page are an open loop: they come however many are served, and once what
  brought them is over, 5 % of them go each minute.
- Bots are a closed loop: each asks again once it has an answer, so a service that serves more is
  asked more. Callers that retry without a budget are one as well, up to eight tries of each request
  (three retries below one by the users' app; the SRE book multiplies them by layer). Both ask for
  more than there is capacity, however much that is, so a modest scale-up changes nothing; a storm
  ends once there is capacity for every try.
- Clients that were cut off connect again all at once. A core completes 700 handshakes a second
  (500 to 1,000 with TLS), and what handshakes take is missing for requests. Each process accepts
  from a queue of 511 (nginx), which is full as long as the service turns requests away.
- An allowance of a tenth more than the usual requests holds for all keys together. A batch job
  that asks for seven in ten of all requests uses up what others would need, so they are rejected
  (HTTP 429) while the instances are as busy as the allowance lets them be.
- A request that meets a catastrophic expression runs on its core until it is killed (Cloudflare
  2019): it fails on every try, no core is ever idle, and the other requests wait for time slices.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

MOST_TRIES: Final = 8.0
"""The most tries of a request without a budget: two by the users' app, each with four below it."""

ALLOWANCE: Final = 1.1
"""The requests that all keys together may make, as a factor of the usual ones."""

_FEW_TRIES: Final = 4.0
"""The most tries of a request where callers have a retry budget: the users' app has none."""

_GO: Final = 0.05
_FEW: Final = 0.5
_MOST_BOTS: Final = 50.0
_HANDSHAKES: Final = 700.0
_MOST_SPENT: Final = 0.97
_BURNS_MS: Final = 10_000.0
_CROWDED_MS: Final = 130.0
_ASKS: Final = 7.0 / 3.0


class Intake(Component):
    """The requests and connections of an application that are out of the ordinary.

    Attributes:
        link: The call by which people or bots come, or that is tried again; -1 for none.
        people, bots: Requests a second of either.
        tries: Tries of that caller on top of its retries.
        crowd: Share of that caller's requests that are not its ordinary ones.
        connects: New connections a second, and `spent` is the share of the CPU they take.
        batch: Requests a second that the batch key makes, of which `admitted` are served;
            `rejected` is the share of the others' that is rejected.
        burning: Share of requests that run until they are killed; `spinning` is the share of
            the idle CPU that they take.
        is_idle: Whether nothing is out of the ordinary.
    """

    name: ClassVar[str] = "intake"
    parameters: ClassVar[tuple[str, ...]] = (
        "people",
        "bots",
        "retries",
        "connects",
        "batch",
        "burning",
    )

    def __init__(self, service: int) -> None:
        super().__init__(service)
        self.link = -1
        self.people = self.bots = self.tries = self.connects = self.spent = 0.0
        self.batch = self.admitted = self.rejected = self.burning = self.spinning = self.crowd = 0.0
        self.is_idle = True
        self.injected_people = self.injected_bots = self.injected_retries = 0.0
        self.injected_connects = self.injected_batch = self.injected_burning = 0.0

    def copy(self) -> Component:
        """Return an intake in the same state."""
        twin = Intake(self.service)
        if self.is_idle:
            return twin
        twin.is_idle = False
        twin.link = self.link
        twin.people = self.people
        twin.bots = self.bots
        twin.tries = self.tries
        twin.connects = self.connects
        twin.spent = self.spent
        twin.batch = self.batch
        twin.admitted = self.admitted
        twin.rejected = self.rejected
        twin.burning = self.burning
        twin.spinning = self.spinning
        twin.crowd = self.crowd
        twin.injected_people = self.injected_people
        twin.injected_bots = self.injected_bots
        twin.injected_retries = self.injected_retries
        twin.injected_connects = self.injected_connects
        twin.injected_batch = self.injected_batch
        twin.injected_burning = self.injected_burning
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        if self.is_idle:
            return
        self.injected_people = self.injected_bots = self.injected_retries = 0.0
        self.injected_connects = self.injected_batch = self.injected_burning = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Combine a value with a parameter for this minute.

        `people` come in multiples of the caller's usual calls. `bots` and `retries` ask for that
        share more than there is capacity, and `batch` makes others ask for that share more than
        they get. `connects` are new connections as a share of what the instances can complete.
        `burning` is the share of requests that run until they are killed.
        """
        self.is_idle = False
        if link >= 0:
            self.link = link
        if parameter == "people":
            self.injected_people += value
        elif parameter == "bots":
            self.injected_bots += value
        elif parameter == "retries":
            self.injected_retries += value
        elif parameter == "connects":
            self.injected_connects += value
        elif parameter == "batch":
            self.injected_batch += value
        else:
            self.injected_burning = min(1.0, self.injected_burning + value)

    def prepare(self, mesh: Mesh) -> None:
        """Add what comes in, and take away what it costs before it is served."""
        if self.is_idle:
            return
        node = mesh.nodes[self.service]
        cores = node.traits.cores * (node.instances if node.instances > 1.0 else 1.0)
        could = cores * _HANDSHAKES
        self.connects = self.injected_connects * could
        spent = self.injected_connects
        self.spent = spent if spent < _MOST_SPENT else _MOST_SPENT
        node.capacity *= 1.0 - self.spent
        self._ask_more(mesh)
        self._spend_allowance(mesh)
        self.burning = self.injected_burning
        if self.burning > 0.0:
            running = self.burning * node.served * _BURNS_MS / 1000.0
            self.spinning = 1.0 - exp(-running / cores)
            node.keeps *= 1.0 - self.burning
            node.extra_wait_ms += _CROWDED_MS * self.spinning
        else:
            self.spinning = 0.0
        self.is_idle = not (
            self.people + self.bots + self.tries + self.connects + self.batch + self.burning > 0.0
        )

    def _ask_more(self, mesh: Mesh) -> None:
        """Let people and bots come by the caller, and let it try again."""
        self.bots = self.tries = 0.0
        if self.link < 0:
            return
        link = mesh.links[self.link]
        caller = mesh.nodes[link.traits.caller]
        usual = caller.traits.usual_rps * link.traits.per_request
        left = self.people * (1.0 - _GO)
        came = self.injected_people * usual
        self.people = came if came > left else left
        if self.people < _FEW:
            self.people = 0.0
        own = caller.served * link.traits.per_request * link.passes
        own *= 1.0 - self.crowd
        capacity = mesh.nodes[self.service].capacity
        if self.injected_bots > 0.0:
            wanted = capacity * (1.0 + self.injected_bots)
            bots = wanted - own * link.attempts - self._others(mesh)
            most = _MOST_BOTS * usual
            self.bots = 0.0 if bots < 0.0 else bots if bots < most else most
        if self.injected_retries > 0.0 and own > 0.0:
            wanted = capacity * (1.0 + self.injected_retries)
            tries = (wanted - self._others(mesh)) / own - link.attempts
            most = MOST_TRIES - link.attempts
            if link.traits.retries_allowed < _FEW_TRIES:
                most = _FEW_TRIES - link.attempts
            tries = tries if tries < most else most
            self.tries = tries if tries > 0.0 else 0.0
            link.extra_tries += self.tries
        more = self.people + self.bots
        if more > 0.0:
            link.added += more
            caller.guests += more

    def _others(self, mesh: Mesh) -> float:
        """Return the requests a second of the other callers."""
        total = 0.0
        for number in mesh.nodes[self.service].traits.callers:
            if number != self.link:
                total += mesh.links[number].reaching
        return total

    def _spend_allowance(self, mesh: Mesh) -> None:
        """Let the batch job ask for more than is left of the allowance."""
        self.batch = self.admitted = self.rejected = 0.0
        if self.injected_batch <= 0.0:
            return
        node = mesh.nodes[self.service]
        others = 0.0
        for number in node.traits.callers:
            others += mesh.links[number].reaching
        self.rejected = self.injected_batch / (1.0 + self.injected_batch)
        self.batch = _ASKS * others
        self.admitted = ALLOWANCE * node.traits.usual_rps - others * (1.0 - self.rejected)
        if self.admitted < 0.0:
            self.admitted = 0.0
        node.guests += self.admitted
        node.sound *= 1.0 - self.rejected

    def settle(self, mesh: Mesh) -> None:
        """Let requests that never end take the CPU that is left, and handshakes take theirs."""
        if self.is_idle:
            return
        self.crowd = 0.0
        if self.link >= 0:
            caller = mesh.nodes[mesh.links[self.link].traits.caller]
            if caller.guests > 0.0:
                self.crowd = caller.guests / caller.offered
        node = mesh.nodes[self.service]
        if self.spent > 0.0:
            node.busy = self.spent + node.busy * (1.0 - self.spent)
        if self.spinning > 0.0:
            node.busy += (1.0 - node.busy) * self.spinning
