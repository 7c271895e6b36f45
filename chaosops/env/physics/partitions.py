"""Partitions of a queue: each has its offsets, its lag and one consumer that reads it.

The consumers of a queue are the instances of the service that takes its messages. Each partition is
read by one of them, in one thread, so with 12 partitions and 4 consumers each reads 3 (Kafka: a
consumer group). An instance shares what it can do between its partitions; one thread uses at most
half of it, or all of it where an instance usually reads one partition. A message that takes twice
as long as usual halves all of that, and so does one that has to be handed out twice. Consumers
beyond the number of partitions have nothing to read.

- A message that can't be processed is retried for ever: its partition's offset stands still, while
  the others go on.
- A partition with most of the keys gets most of the messages, and no more than one thread.
- In a rebalance nobody reads. With n times the consumers a group rebalances n times as often, since
  each of them can miss its deadline, so it reads no more than with fewer.

What comes in faster than it is read lets the lag grow; it shrinks by (out - in) a second later. The
broker holds back four fifths of the excess until the producer gives up, and stores the rest
(RabbitMQ: flow control keeps publishers at the rate of the queue); a partition without room holds
back all of it (Pulsar: backlog quota, `producer_request_hold`). The four fifths are an assumption.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

RETRIES_A_MINUTE: Final = 5.0
"""How often a consumer tries a message that it can't process."""

_SECONDS: Final = 60.0
_HELD_BACK: Final = 0.8
_THREAD: Final = 0.5
_LONG_AGO: Final = -9999


class Partitions(Component):
    """The partitions of a queue; each list has an item per partition.

    Attributes:
        count: How many there are.
        link: Number of the call that hands messages to the consumers.
        callers: Numbers of the calls that publish messages.
        hot: The partition that `stuck` and `skew` are for.
        stuck: That partition's share of the messages, while its consumer gets no further; 0 if it
            does.
        skew: Share of the others' normal messages that has moved onto it.
        paused: Share of the time in which the group rebalances.
        members: Consumers that have partitions.
        generation: Rebalances so far; the last one was in the minute `rebalanced`.
        usual_ms: How long a message takes on an ordinary day, without waiting for the CPU.
        came: Messages a second that producers sent in the last minute.
        gave: Messages a second that each partition can hand out in this minute; then, that it has.
        held: Share of each partition's messages that the broker holds back.
        end: Messages that were stored so far.
        offset: Those of them that were processed; the rest is the lag.
        stuck_at: The offset of the last message that could not be processed.
        is_strained: Whether any partition has a lag, or gets more than is read.
    """

    name: ClassVar[str] = "partitions"
    parameters: ClassVar[tuple[str, ...]] = ("stuck", "skew", "paused")

    def __init__(self, service: int, count: int, link: int, callers: tuple[int, ...]) -> None:
        super().__init__(service)
        self.count = count
        self.link = link
        self.callers = callers
        self.hot = 0
        self.stuck = self.skew = self.paused = 0.0
        self.members = 0
        self.generation = 0
        self.rebalanced = _LONG_AGO
        self.usual_ms = self.came = self.stuck_at = 0.0
        self.gave = [0.0] * count
        self.held = [0.0] * count
        self.end = [0.0] * count
        self.offset = [0.0] * count
        self.is_strained = False

    def copy(self) -> Component:
        """Return partitions in the same state."""
        twin = Partitions(self.service, self.count, self.link, self.callers)
        twin.hot = self.hot
        twin.stuck = self.stuck
        twin.skew = self.skew
        twin.paused = self.paused
        twin.members = self.members
        twin.generation = self.generation
        twin.rebalanced = self.rebalanced
        twin.usual_ms = self.usual_ms
        twin.came = self.came
        twin.stuck_at = self.stuck_at
        twin.gave = self.gave.copy()
        twin.held = self.held.copy()
        twin.end = self.end.copy()
        twin.offset = self.offset.copy()
        twin.is_strained = self.is_strained
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.stuck = self.skew = self.paused = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `stuck` or `skew`, shares of the messages, or `paused`, a share of the time."""
        if parameter == "stuck":
            self.stuck = min(1.0, self.stuck + value)
        elif parameter == "skew":
            self.skew = min(1.0, self.skew + value)
        else:
            self.paused = min(1.0, self.paused + value)

    def share(self, k: int) -> float:
        """Return a partition's share of the messages."""
        even = 1.0 / self.count
        mine = self.stuck if self.stuck > 0.0 else even + self.skew * (1.0 - even)
        return mine if k == self.hot else (1.0 - mine) / (self.count - 1)

    def lag(self, k: int) -> float:
        """Return how many messages wait in a partition."""
        return self.end[k] - self.offset[k]

    def lags(self) -> list[float]:
        """Return the lag of each partition in whole messages."""
        return [float(int(end) - int(self.offset[k])) for k, end in enumerate(self.end)]

    def prepare(self, mesh: Mesh) -> None:
        """Compute what each partition can hand out, and hold back what is too much."""
        link = mesh.links[self.link]
        consumer = mesh.nodes[link.to]
        members = max(1, min(int(consumer.instances), self.count))
        if self.paused > 0.0 or members != self.members > 0:
            self.generation += 1
            self.rebalanced = mesh.minute
        self.members = members
        rate = consumer.drain / link.traits.per_request / max(1.0, consumer.instances)
        rate /= link.attempts
        if consumer.fixed_ms > self.usual_ms > 0.0 and consumer.backlog <= 0.0:
            rate *= self.usual_ms / consumer.fixed_ms
        if self.paused > 0.0:
            crowd = members / consumer.traits.replicas
            rate *= (1.0 - self.paused) / (crowd if crowd > 1.0 else 1.0)
        is_shared = self.count >= 2 * consumer.traits.replicas
        self._hand_out(rate, _THREAD * rate if is_shared else rate)
        if self._hold_back(mesh) or any(self.lag(k) > 0.0 for k in range(self.count)):
            self.is_strained = True
            most = 0.0
            for gave in self.gave:
                most += gave
            consumer.drain = most * link.traits.per_request
        else:
            self.is_strained = False

    def _hand_out(self, rate: float, thread: float) -> None:
        """Share what each member can read between its partitions: the least demanding first."""
        for member in range(self.members):
            wants: list[tuple[float, int]] = []
            for k in range(member, self.count, self.members):
                want = self.came * self.share(k) + self.lag(k) / _SECONDS
                if k == self.hot and self.stuck > 0.0:
                    want = 0.0
                wants.append((min(want, thread), k))
            wants.sort()
            left = rate
            for n, (want, k) in enumerate(wants):
                fair = left / (len(wants) - n)
                self.gave[k] = want if want < fair else fair
                left -= self.gave[k]

    def _hold_back(self, mesh: Mesh) -> bool:
        """Hold back publishers of partitions that get too much; return whether any does."""
        room = mesh.nodes[self.service].traits.queue_limit / self.count
        held = 0.0
        for k in range(self.count):
            comes = self.came * self.share(k)
            excess = comes - self.gave[k]
            self.held[k] = 0.0
            if excess > 0.0:
                part = 1.0 if self.lag(k) >= room else _HELD_BACK
                self.held[k] = part * excess / comes
                held += part * excess
        if held <= 0.0:
            return False
        for number in self.callers:
            publishing = mesh.links[number]
            publishing.breaks(held / self.came, publishing.traits.timeout_ms)
        return True

    def settle(self, mesh: Mesh) -> None:
        """Store what came in, and move the offsets by what was handed out."""
        node = mesh.nodes[self.service]
        if self.usual_ms <= 0.0:
            self.usual_ms = mesh.nodes[mesh.links[self.link].to].fixed_ms
        self.came = came = node.offered
        could = 0.0
        for gave in self.gave:
            could += gave
        scale = 0.0
        if self.is_strained:
            scale = node.served / could if could > 0.0 else 0.0
        elif came > 0.0:
            scale = node.served / came
        lag = 0.0
        for k in range(self.count):
            kept = came * self.share(k) * (1.0 - self.held[k])
            out = scale * (self.gave[k] if self.is_strained else kept)
            most = kept + self.lag(k) / _SECONDS
            self.gave[k] = out = out if out < most else most
            self.end[k] += kept * _SECONDS
            self.offset[k] += out * _SECONDS
            if self.lag(k) < 0.5:
                self.offset[k] = self.end[k]
            lag += self.lag(k)
        if self.is_strained or lag > 0.0:
            node.backlog = lag
        if self.stuck > 0.0:
            self.stuck_at = self.offset[self.hot]

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Skip all that waits when the queue is purged."""
        if verb is ActionType.PURGE:
            self.offset = self.end.copy()
