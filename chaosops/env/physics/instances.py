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
_LONG_AGO: Final = -9999
_NONE: Final[frozenset[int]] = frozenset()


class Instances:
    """The instances of one service; each tuple has an item per instance.

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
        spared: Those that were fixed alone, so that what was rolled out no longer affects them.
    """

    __slots__ = (
        "_all_serve_from",
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
        "spared",
        "traits",
        "wanted",
        "zone",
    )

    def __init__(self, traits: ServiceTraits, original: Instances | None = None) -> None:
        """Start all of them, or take the state of others."""
        self.traits = traits
        self.service = traits.number
        if original is not None:
            self._copy(original)
            return
        n = traits.replicas
        self.away: tuple[int, ...] = (_LONG_AGO,) * n
        self.ejected: tuple[int, ...] = (_LONG_AGO,) * n
        self.born: tuple[int, ...] = (_LONG_AGO,) * n
        self.build: tuple[int, ...] = (0,) * n
        self.config: tuple[int, ...] = (0,) * n
        self.zone: tuple[int, ...] = tuple([i % traits.zones for i in range(n)])
        self.kills: tuple[int, ...] = (0,) * n
        self._all_serve_from = _LONG_AGO
        self.wanted = n
        self.has_room = True
        self.rolling = self.is_blocked = False
        self.spared: frozenset[int] = _NONE
        self.injected_errors = self.injected_delay_ms = 0.0
        self.injected_speed = 1.0

    def copy(self) -> Instances:
        """Return instances in the same state."""
        return Instances(self.traits, self)

    def _copy(self, other: Instances) -> None:
        self.away, self.ejected, self.born = other.away, other.ejected, other.born
        self.build, self.config = other.build, other.config
        self.zone, self.kills = other.zone, other.kills
        self._all_serve_from = other._all_serve_from
        self.wanted = other.wanted
        self.rolling = other.rolling
        self.has_room = other.has_room
        self.is_blocked = other.is_blocked
        self.spared = other.spared
        self.injected_errors = other.injected_errors
        self.injected_delay_ms = other.injected_delay_ms
        self.injected_speed = other.injected_speed

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.is_blocked = False
        self.injected_errors = self.injected_delay_ms = 0.0
        self.injected_speed = 1.0

    @property
    def count(self) -> int:
        """The number of instances, whether they serve or not."""
        return len(self.away)

    def all_serve(self, minute: int) -> bool:
        """Whether every instance gets requests in a minute."""
        return self._all_serve_from <= minute

    def serves(self, i: int, minute: int) -> bool:
        """Whether an instance gets requests in a minute."""
        if self._all_serve_from <= minute:
            return True
        return self.away[i] <= minute and self.ejected[i] <= minute

    def carries(self, i: int) -> bool:
        """Whether the parameters affect an instance."""
        if self.spared and i in self.spared:
            return False
        return not self.rolling or self.build[i] > 0 or self.config[i] > 0

    def roll_out(self, share: float, *, is_build: bool) -> None:
        """Roll out to a share of the instances; to at least one if the share is above 0.

        Instances that run it already keep it, such as those that were added meanwhile.
        """
        n = len(self.away)
        reached = int(share * n + 0.999) if share > 0.0 else 0
        self.rolling = True
        if is_build:
            self.build = (1,) * reached + self.build[reached:]
        else:
            self.config = (1,) * reached + self.config[reached:]
        if self.spared:
            self._take_back_spared()

    def keep_rolled_out(self, share: float, *, is_build: bool) -> None:
        """Take what was rolled out back from all but a share of the instances."""
        n = len(self.away)
        kept = int(share * n + 0.999) if share > 0.0 else 0
        if is_build:
            self.build = self.build[:kept] + (0,) * (n - kept)
        else:
            self.config = self.config[:kept] + (0,) * (n - kept)

    def spare(self, i: int) -> None:
        """Let what was rolled out no longer affect an instance."""
        self.spared = self.spared | {i}
        self._take_back_spared()

    def spare_none(self) -> None:
        """Forget which instances were fixed alone: there is nothing left to be fixed, or again."""
        self.spared = _NONE

    def _take_back_spared(self) -> None:
        spared = self.spared
        self.build = tuple([0 if i in spared else self.build[i] for i in range(len(self.build))])
        self.config = tuple([0 if i in spared else self.config[i] for i in range(len(self.config))])

    @property
    def spared_share(self) -> float:
        """The share of the instances that were fixed alone."""
        return len(self.spared) / len(self.away) if self.spared else 0.0

    def replace(self, i: int, minute: int) -> None:
        """Replace an instance by a fresh one, to which the load balancer sends requests again."""
        self.born = _with(self.born, i, minute)
        if self.ejected[i] > _LONG_AGO:
            self.ejected = _with(self.ejected, i, _LONG_AGO)
            self._all_serve_from = max(*self.away, *self.ejected)

    def renew(self, before: float, share: float, minute: int) -> None:
        """Replace the instances from one share to another, as a rolling update does."""
        n = len(self.away)
        for i in range(int(before * n + 0.999), int(share * n + 0.999)):
            self.born = _with(self.born, i, minute)

    def start_again(self, i: int, minute: int) -> None:
        """Start an instance again in a moment, such as after an update of its host."""
        self.born = _with(self.born, i, minute)

    def has_ejected(self, minute: int) -> bool:
        """Whether the load balancer sends nothing to one of them in a minute."""
        return self._all_serve_from > minute and max(self.ejected) > minute

    def readmit(self) -> None:
        """Let the load balancer send requests to all of them again."""
        self.ejected = (_LONG_AGO,) * len(self.ejected)
        self._all_serve_from = max(self.away)

    def leave_zone(self, zone: int) -> None:
        """Give up the instances in a zone, unless there are no others."""
        kept = [i for i in range(len(self.away)) if self.zone[i] != zone]
        if not kept:
            return
        self.away = tuple([self.away[i] for i in kept])
        self.ejected = tuple([self.ejected[i] for i in kept])
        self.born = tuple([self.born[i] for i in kept])
        self.kills = tuple([self.kills[i] for i in kept])
        self.build = tuple([self.build[i] for i in kept])
        self.config = tuple([self.config[i] for i in kept])
        self.zone = tuple([self.zone[i] for i in kept])
        self.wanted = len(kept)
        if self.spared:
            self.spared = frozenset([k for k in range(len(kept)) if kept[k] in self.spared])
        self._all_serve_from = max(*self.away, *self.ejected)

    def take_back(self) -> None:
        """Roll all instances back."""
        n = len(self.away)
        self.build = self.config = (0,) * n
        self.rolling = False
        self.spared = _NONE

    def prepare(self, mesh: Mesh) -> None:
        """Compute how much the service can serve with the instances that serve, and how well."""
        minute = mesh.minute
        if self.wanted > len(self.away) and self.has_room and not self.is_blocked:
            self.resize(self.wanted, minute)
        node = mesh.nodes[self.service]
        serving = carriers = len(self.away)
        if self._all_serve_from > minute or self.rolling or self.spared:
            serving = carriers = 0
            for i in range(len(self.away)):
                if self.serves(i, minute):
                    serving += 1
                    if self.carries(i):
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
        self.kills = _with(self.kills, i, self.kills[i] + 1)
        self.take_away(i, minute, 1 + back_off)

    def take_away(self, i: int, minute: int, minutes: int) -> None:
        """Take an instance away for some minutes, from the next one on."""
        until = minute + minutes
        self.away = _with(self.away, i, until)
        self.born = _with(self.born, i, until)
        self._all_serve_from = max(self._all_serve_from, until)

    def eject(self, i: int, until: int) -> None:
        """Send an instance no requests until a minute."""
        self.ejected = _with(self.ejected, i, until)
        self._all_serve_from = max(self._all_serve_from, until)

    def stay_ejected(self, minute: int) -> None:
        """Leave out in a minute too what the load balancer sent nothing in the one before."""
        if self._all_serve_from >= minute:
            self.ejected = tuple([until + (until >= minute) for until in self.ejected])
            self._all_serve_from = max(*self.away, *self.ejected)

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
        if len(self.away) > count:
            self.away, self.ejected = self.away[:count], self.ejected[:count]
            self.born, self.kills = self.born[:count], self.kills[:count]
            self.build, self.config = self.build[:count], self.config[:count]
            self.zone = self.zone[:count]
            if self.spared:
                self.spared = frozenset([i for i in self.spared if i < count])
        more = count - len(self.away)
        if more > 0:
            n, zones = len(self.zone), self.traits.zones
            self.away += (minute + starts_in,) * more
            self.ejected += (_LONG_AGO,) * more
            self.born += (minute,) * more
            self.build += (max(self.build),) * more
            self.config += (max(self.config),) * more
            self.zone += tuple([i % zones for i in range(n, n + more)])
            self.kills += (0,) * more
        self._all_serve_from = max(*self.away, *self.ejected)


def _with(values: tuple[int, ...], i: int, value: int) -> tuple[int, ...]:
    """Return the values with another one at a place."""
    return (*values[:i], value, *values[i + 1 :])
