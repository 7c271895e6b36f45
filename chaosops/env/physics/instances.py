"""The instances of a service: which serve, on which build, and in which zone.

Load is spread evenly over the instances that serve, so with n - k of n left each gets n / (n - k)
times its usual. An instance that was killed or replaced is away for some minutes; the more often it
is killed, the longer: 1, 2 and then 4 minutes, an exponential back-off (Kubernetes: 10 s,
doubled up to five minutes).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chaosops.env.physics.blueprint import ServiceTraits

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_LONGEST_BACK_OFF: Final = 4


class Instances:
    """The instances of one service; each list has an item per instance.

    Parameters, which affect the instances that carry what is being rolled out, or all of them if
    nothing is:
        injected_errors: Share of requests that such an instance fails.
        injected_speed: Factor of its capacity.
        injected_delay_ms: Extra time for each request.

    Attributes:
        away: The minute from which it serves again; in the past if it serves now.
        ejected: The minute until which the load balancer sends it nothing.
        born: The minute in which it was started.
        build, config: What it runs: 1 is what is being rolled out, 0 what was there before.
        rolling: Whether something is being rolled out.
        zone: Number of its zone.
        kills: How often it was killed for its memory.
        is_blocked: Whether none may be started in this minute, as where a quota is spent.
        has_room: Whether hosts have the disk space that a new one needs.
        wanted: How many were asked for; the rest is pending while none may be started.
    """

    __slots__ = (
        "away",
        "born",
        "build",
        "config",
        "ejected",
        "has_room",
        "injected_delay_ms",
        "injected_errors",
        "injected_speed",
        "is_blocked",
        "kills",
        "rolling",
        "service",
        "traits",
        "wanted",
        "zone",
    )

    def __init__(self, traits: ServiceTraits) -> None:
        n = traits.replicas
        self.traits = traits
        self.service = traits.number
        self.away = [-9999] * n
        self.ejected = [-9999] * n
        self.born = [-9999] * n
        self.build = [0] * n
        self.config = [0] * n
        self.zone = [i % traits.zones for i in range(n)]
        self.kills = [0] * n
        self.wanted = n
        self.has_room = True
        self.rolling = self.is_blocked = False
        self.injected_errors = self.injected_delay_ms = 0.0
        self.injected_speed = 1.0

    def copy(self) -> Instances:
        """Return instances in the same state."""
        twin = Instances(self.traits)
        twin.away = self.away.copy()
        twin.ejected = self.ejected.copy()
        twin.born = self.born.copy()
        twin.build = self.build.copy()
        twin.config = self.config.copy()
        twin.zone = self.zone.copy()
        twin.kills = self.kills.copy()
        twin.wanted = self.wanted
        twin.rolling = self.rolling
        twin.has_room = self.has_room
        twin.is_blocked = self.is_blocked
        twin.injected_errors = self.injected_errors
        twin.injected_delay_ms = self.injected_delay_ms
        twin.injected_speed = self.injected_speed
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.is_blocked = False
        self.injected_errors = self.injected_delay_ms = 0.0
        self.injected_speed = 1.0

    @property
    def count(self) -> int:
        """The number of instances, whether they serve or not."""
        return len(self.away)

    def serves(self, i: int, minute: int) -> bool:
        """Whether an instance gets requests in a minute."""
        return self.away[i] <= minute and self.ejected[i] <= minute

    def carries(self, i: int) -> bool:
        """Whether the parameters affect an instance."""
        return not self.rolling or self.build[i] > 0 or self.config[i] > 0

    def roll_out(self, share: float, *, is_build: bool) -> None:
        """Roll out to a share of the instances; to at least one if the share is above 0.

        Instances that run it already keep it, such as those that were added meanwhile.
        """
        n = len(self.away)
        reached = int(share * n + 0.999) if share > 0.0 else 0
        self.rolling = True
        values = self.build if is_build else self.config
        for i in range(reached):
            values[i] = 1

    def renew(self, before: float, share: float, minute: int) -> None:
        """Replace the instances from one share to another, as a rolling update does."""
        n = len(self.away)
        for i in range(int(before * n + 0.999), int(share * n + 0.999)):
            self.born[i] = minute

    def take_back(self) -> None:
        """Roll all instances back."""
        n = len(self.away)
        self.build = [0] * n
        self.config = [0] * n
        self.rolling = False

    def prepare(self, mesh: Mesh) -> None:
        """Compute how much the service can serve with the instances that serve, and how well."""
        minute = mesh.minute
        if self.wanted > len(self.away) and self.has_room and not self.is_blocked:
            self.resize(self.wanted, minute)
        node = mesh.nodes[self.service]
        serving = carriers = 0
        for i in range(len(self.away)):
            if self.away[i] <= minute and self.ejected[i] <= minute:
                serving += 1
                if not self.rolling or self.build[i] > 0 or self.config[i] > 0:
                    carriers += 1
        node.instances = float(serving)
        rps = self.traits.rps_per_replica
        node.capacity = serving * rps * node.injected_capacity
        if carriers == 0:
            return
        share = carriers / serving
        if self.injected_speed < 1.0:
            node.capacity *= 1.0 - share * (1.0 - self.injected_speed)
        if self.injected_errors > 0.0:
            node.sound *= 1.0 - share * self.injected_errors
        if self.injected_delay_ms > 0.0:
            node.tail = share
            node.tail_ms = node.own_ms + self.injected_delay_ms

    def kill(self, i: int, minute: int) -> None:
        """Kill an instance that ran out of memory; it is back after its back-off."""
        back_off = 1 << self.kills[i] if self.kills[i] < 2 else _LONGEST_BACK_OFF
        self.kills[i] += 1
        self.away[i] = minute + 1 + back_off
        self.born[i] = minute + 1 + back_off

    def take_away(self, i: int, minute: int, minutes: int) -> None:
        """Take an instance away for some minutes, from the next one on."""
        self.away[i] = minute + minutes
        self.born[i] = minute + minutes

    @property
    def pending(self) -> int:
        """How many instances were asked for and could not be started."""
        return max(0, self.wanted - len(self.away))

    def resize(self, count: int, minute: int, starts_in: int = 0) -> None:
        """Set the number of instances; the newest go first, and new ones run the newest build.

        None is added while the scheduler may start none; they are pending until it may.

        Args:
            count: From 1 to the most that the service can have.
            starts_in: Minutes after which new ones serve.
        """
        count = max(1, min(count, self.traits.max_replicas))
        self.wanted = count
        if self.is_blocked or not self.has_room:
            count = min(count, len(self.away))
        while len(self.away) > count:
            for values in (self.away, self.ejected, self.born, self.build, self.config, self.zone):
                values.pop()
            self.kills.pop()
        newest, config = max(self.build), max(self.config)
        while len(self.away) < count:
            self.away.append(minute + starts_in)
            self.ejected.append(-9999)
            self.born.append(minute)
            self.build.append(newest)
            self.config.append(config)
            self.zone.append(len(self.zone) % self.traits.zones)
            self.kills.append(0)
