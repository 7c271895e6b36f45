"""The vocabulary: roles, verbs, failure types, actions, observations and the episode's state.

Everything here is a value. Observations are nested named tuples, so a frame that was kept cannot
change, and parts that did not change between two turns are the same object in both.

Units: a *minute* counts from the page (0 is the page, -5 is five minutes before it) and is one
turn. Shares run from 0 to 1, percentages from 0 to 100, latencies are in milliseconds.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from chaosops.env.models.readings import Reading
from chaosops.env.models.records import Record
from chaosops.text_safety import clean

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

MAX_TEXT = 2_000
"""The longest message a role may send, in characters."""

_MAX_KEPT_TEXT = MAX_TEXT + 1

MAX_KEPT = 4 * MAX_TEXT
"""So much is kept of the arguments of an action: a text, a proposal, and whatever is wrong."""

MALFORMED = "malformed"
"""The argument under which something that is no set of arguments is kept."""
_MAX_DEPTH = 4
_MAX_ITEMS = 64


class AgentRole(StrEnum):
    """A seat on call."""

    SRE = "sre"
    OVERSIGHT = "oversight"
    DEV = "dev"
    MANAGER = "manager"


class ActionType(StrEnum):
    """A verb. Which role may use which one is in `chaosops.env.actions`."""

    NOOP = "noop"
    INVESTIGATE = "investigate"
    COMMUNICATE = "communicate"
    RESTART = "restart"
    SCALE = "scale"
    FAILOVER = "failover"
    DRAIN = "drain"
    SHED_LOAD = "shed_load"
    PURGE = "purge"
    RAISE_LIMIT = "raise_limit"
    TERMINATE = "terminate"
    ROLLBACK = "rollback"
    DISABLE_FEATURE = "disable_feature"
    ROTATE = "rotate"
    ASSIGN = "assign"
    ESCALATE = "escalate"
    PAUSE = "pause"
    RESUME = "resume"
    FLAG = "flag"
    DIAGNOSE = "diagnose"
    RESOLVE = "resolve"

    @property
    def words(self) -> str:
        """The verb as a person says it."""
        return self.value.replace("_", " ")


class FailureType(StrEnum):
    """The taxonomy of root causes: what a diagnosis can name."""

    BAD_CONFIG_PUSH = "bad_config_push"
    LATENT_BUG = "latent_bug"
    DEAD_CODE_FLAG = "dead_code_flag"
    MIGRATION_LOCK = "migration_lock"
    HOT_CODE_PATH = "hot_code_path"
    MEMORY_LEAK = "memory_leak"
    CPU_THROTTLING = "cpu_throttling"
    THREAD_LIMIT = "thread_limit"
    DISK_FULL = "disk_full"
    POOL_EXHAUSTED = "pool_exhausted"
    QUOTA_THROTTLING = "quota_throttling"
    DB_DEADLOCK = "db_deadlock"
    ID_EXHAUSTION = "id_exhaustion"
    REPLICA_LAG = "replica_lag"
    HOT_SHARD = "hot_shard"
    COLD_CACHE = "cold_cache"
    POISON_MESSAGE = "poison_message"
    BLOCKED_CAPACITY = "blocked_capacity"
    RETRY_STORM = "retry_storm"
    RECONNECT_HERD = "reconnect_herd"
    CASCADE = "cascade"
    DNS_OUTAGE = "dns_outage"
    PACKET_LOSS = "packet_loss"
    EXPIRED_CERTIFICATE = "expired_certificate"
    CLOCK_ERROR = "clock_error"
    ZONE_OUTAGE = "zone_outage"
    AUTOSCALER_COST_CUT = "autoscaler_cost_cut"
    MISROUTED_TRAFFIC = "misrouted_traffic"
    ROGUE_DEPLOY_BOT = "rogue_deploy_bot"
    UNFINISHED_RENEWAL = "unfinished_renewal"
    CLEANUP_OVERREACH = "cleanup_overreach"
    UNAPPROVED_AI_CHANGE = "unapproved_ai_change"
    STALE_DNS_PLAN = "stale_dns_plan"
    PATCH_EVERYWHERE = "patch_everywhere"
    FALSE_ALARM = "false_alarm"
    ROW_LOCK = "row_lock"
    SLOW_DISK = "slow_disk"
    PLAN_FLIP = "plan_flip"
    COLLECTOR_THRASH = "collector_thrash"
    DESCRIPTOR_LIMIT = "descriptor_limit"
    STRICT_PROBE = "strict_probe"
    BAD_RELEASE = "bad_release"
    STALE_CREDENTIAL = "stale_credential"
    ACCESS_RULE = "access_rule"


class Difficulty(StrEnum):
    """The level of an incident."""

    TUTORIAL = "tutorial"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


class Health(StrEnum):
    """A service at a glance, from its error share and latency against what is usual for it."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    CRITICAL = "critical"
    DOWN = "down"


class ServiceKind(StrEnum):
    """The tier a service belongs to."""

    EDGE = "edge"
    APP = "app"
    CACHE = "cache"
    QUEUE = "queue"
    DATABASE = "database"
    EXTERNAL = "external"


class Source(StrEnum):
    """Where an investigation looks."""

    METRICS = "metrics"
    LOGS = "logs"
    TRACES = "traces"
    RUNTIME = "runtime"
    NETWORK = "network"
    CHANGES = "changes"
    CONFIG = "config"
    AUTOMATION = "automation"


class LogLevel(StrEnum):
    """The severity of a log line."""

    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"


class Severity(StrEnum):
    """Whether an alert wakes somebody."""

    PAGE = "page"
    TICKET = "ticket"


class ChangeKind(StrEnum):
    """What sort of change somebody made."""

    DEPLOY = "deploy"
    CONFIG = "config"
    FLAG = "flag"
    MIGRATION = "migration"


class Sign(StrEnum):
    """What a finding shows, in the runbook's words.

    A sign is a fact about the system, never a cause: several causes share each one.
    """

    NOTHING_UNUSUAL = "nothing_unusual"
    ERRORS_HIGH = "errors_high"
    LATENCY_HIGH = "latency_high"
    CPU_SATURATED = "cpu_saturated"
    IDLE_BUT_SLOW = "idle_but_slow"
    TRAFFIC_SURGE = "traffic_surge"
    TRAFFIC_DROP = "traffic_drop"
    FAILING_DEPENDENCY = "failing_dependency"
    SLOW_DEPENDENCY = "slow_dependency"
    MEMORY_HIGH = "memory_high"
    MEMORY_FLAT = "memory_flat"
    HEAP_GROWTH = "heap_growth"
    OOM_KILLS = "oom_kills"
    DISK_NEAR_LIMIT = "disk_near_limit"
    WRITES_REFUSED = "writes_refused"
    POOL_EXHAUSTED = "pool_exhausted"
    LOCK_WAIT = "lock_wait"
    DEADLOCK_CYCLE = "deadlock_cycle"
    CONFIG_CHANGED = "config_changed"
    CONFIG_REJECTED = "config_rejected"
    CONFIG_UNCHANGED = "config_unchanged"
    DEPLOYED_RECENTLY = "deployed_recently"
    NO_RECENT_CHANGE = "no_recent_change"
    NAME_LOOKUP_FAILS = "name_lookup_fails"
    NAME_LOOKUP_FINE = "name_lookup_fine"
    OPEN_CONNECTIONS_FINE = "open_connections_fine"
    UNEVEN_TRAFFIC = "uneven_traffic"
    REPLICAS_BELOW_DEMAND = "replicas_below_demand"
    RETRIES_HIGH = "retries_high"
    SECOND_FAULT = "second_fault"
    GATE_FAILED = "gate_failed"
    GATE_PASSED = "gate_passed"
    BEYOND_POLICY = "beyond_policy"
    WITHIN_POLICY = "within_policy"
    MONITOR_FAULTY = "monitor_faulty"
    CRASH_LOOP = "crash_loop"
    NEW_KIND_OF_DATA = "new_kind_of_data"
    FLAG_SWITCHED = "flag_switched"
    MIXED_VERSIONS = "mixed_versions"
    FIGURES_WRONG = "figures_wrong"
    SCHEMA_CHANGE_WAITS = "schema_change_waits"
    ONE_RULE_HOT = "one_rule_hot"
    CPU_THROTTLED = "cpu_throttled"
    THREADS_AT_LIMIT = "threads_at_limit"
    IDLE_IN_TRANSACTION = "idle_in_transaction"
    QUOTA_REACHED = "quota_reached"
    ONE_NOISY_CALLER = "one_noisy_caller"
    ID_OUT_OF_RANGE = "id_out_of_range"
    READS_FINE = "reads_fine"
    COPIES_BEHIND = "copies_behind"
    TWO_WRITERS = "two_writers"
    SHARD_SKEW = "shard_skew"
    SHARDS_EVEN = "shards_even"
    HIT_RATE_LOW = "hit_rate_low"
    CACHE_NODES_REPLACED = "cache_nodes_replaced"
    SAME_MESSAGE_FAILS = "same_message_fails"
    REPLICAS_PENDING = "replicas_pending"
    TRIGGER_IS_OVER = "trigger_is_over"
    NEW_CONNECTIONS_SURGE = "new_connections_surge"
    LOSS_BETWEEN_ZONES = "loss_between_zones"
    NO_PACKET_LOSS = "no_packet_loss"
    CERTIFICATE_EXPIRED = "certificate_expired"
    CERTIFICATE_VALID = "certificate_valid"
    OLD_CERTIFICATE_SERVED = "old_certificate_served"
    CLOCK_OFF = "clock_off"
    ONE_ZONE_FAILS = "one_zone_fails"
    ZONES_ALIKE = "zones_alike"
    PROVIDER_FAILS = "provider_fails"
    LIVE_DATA_DELETED = "live_data_deleted"
    CHANGE_IN_FREEZE = "change_in_freeze"
    RECORD_EMPTY = "record_empty"
    PLAN_STALE = "plan_stale"
    NODES_RESTARTED_TOGETHER = "nodes_restarted_together"
    LOCK_HOLDER_IDLE = "lock_holder_idle"
    NOBODY_WAITS = "nobody_waits"
    CONNECTIONS_HELD = "connections_held"
    DEVICE_SLOW = "device_slow"
    DEVICE_FINE = "device_fine"
    ONE_QUERY_SLOW = "one_query_slow"
    QUERIES_EVEN = "queries_even"
    CPU_UNTHROTTLED = "cpu_unthrottled"
    COLLECTION_LONG = "collection_long"
    COLLECTION_SHORT = "collection_short"
    LIVE_SET_LARGE = "live_set_large"
    DESCRIPTORS_AT_LIMIT = "descriptors_at_limit"
    DESCRIPTORS_FINE = "descriptors_fine"
    PROBES_FAIL = "probes_fail"
    PROBES_PASS = "probes_pass"
    REPLICAS_RUN = "replicas_run"
    NEW_BUILD_FAILS = "new_build_fails"
    BUILDS_ALIKE = "builds_alike"
    LOADED_DIFFERS = "loaded_differs"
    CREDENTIAL_REFUSED = "credential_refused"
    ACCESS_REFUSED = "access_refused"
    ACCESS_FINE = "access_fine"


class FrozenMap(Mapping[str, Any]):
    """An immutable, hashable mapping of text keys to JSON values.

    Anything that is not a JSON value is replaced by the name of its type in angle brackets, so
    that every action can be kept and written down, however broken it is. Text is cleaned (see
    `chaosops.text_safety`) and cut one character past `MAX_TEXT`, lists become tuples. Of more
    than `MAX_KEPT` characters and values in all, nothing is kept.
    """

    __slots__ = ("_items",)

    _items: Mapping[str, Any]

    def __init__(self, items: object = None) -> None:
        """Freeze a dictionary or another frozen map; anything else is as good as none."""
        kept = _freeze_items(_pairs(items) or [], _MAX_DEPTH)
        self._fill(kept if _weight(kept) <= MAX_KEPT else {MALFORMED: "<too much>"})

    def _fill(self, items: dict[str, Any]) -> None:
        object.__setattr__(self, "_items", MappingProxyType(items))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a FrozenMap cannot change: {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a FrozenMap cannot change: {name}")

    def __getitem__(self, key: str) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def get(self, key: str, default: Any = None) -> Any:
        """The value, or the default; the same as `Mapping.get`, without its exception inside."""
        return self._items.get(key, default)

    def items(self) -> ItemsView[str, Any]:
        """The keys with their values."""
        return self._items.items()

    def values(self) -> ValuesView[Any]:
        """The values."""
        return self._items.values()

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, FrozenMap):
            return self._items == other._items
        if isinstance(other, Mapping):
            return self._items == FrozenMap(other)._items
        return NotImplemented

    def __repr__(self) -> str:
        return f"FrozenMap({dict(self._items)!r})"

    def __reduce__(self) -> tuple[type[FrozenMap], tuple[dict[str, Any]]]:
        return FrozenMap, (dict(self._items),)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(
            cls, core_schema.dict_schema(keys_schema=core_schema.str_schema())
        )


def type_name(value: object) -> str:
    """The name of a value's type in angle brackets: what stands for a value we cannot keep."""
    return f"<{type(value).__name__}>"


def _pairs(value: object) -> list[tuple[Any, Any]] | None:
    """The items of a plain mapping, past anything that a subclass overrides."""
    if isinstance(value, dict):
        return list(dict.items(value))
    return list(value.items()) if isinstance(value, FrozenMap) else None


def _freeze_items(pairs: list[tuple[Any, Any]], depth: int) -> dict[str, Any]:
    return {_plain(key)[:80]: _freeze(value, depth - 1) for key, value in pairs[:_MAX_ITEMS]}


def _weight(value: Any) -> int:
    """Characters and values in a frozen value."""
    if isinstance(value, str):
        return 1 + len(value)
    if isinstance(value, (dict, FrozenMap)):
        return 1 + sum(len(key) + _weight(inner) for key, inner in value.items())
    if isinstance(value, tuple):
        return 1 + sum(map(_weight, value))
    return 1


def _freeze(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _plain(value)[:_MAX_KEPT_TEXT]
    if isinstance(value, int):
        whole = int.__add__(value, 0)
        return whole if -(2**53) < whole < 2**53 else type_name(value)
    if isinstance(value, float):
        number = float.__add__(value, 0.0)
        return number if -1e15 < number < 1e15 else type_name(value)
    pairs = _pairs(value) if depth else None
    if pairs is not None:
        made = FrozenMap()
        made._fill(_freeze_items(pairs, depth))
        return made
    if depth and isinstance(value, list):
        return tuple(_freeze(item, depth - 1) for item in list.__iter__(value))[:_MAX_ITEMS]
    if depth and isinstance(value, tuple):
        return tuple(_freeze(item, depth - 1) for item in tuple.__iter__(value))[:_MAX_ITEMS]
    return type_name(value)


EMPTY = FrozenMap()
"""No arguments."""


@dataclass(frozen=True, slots=True)
class ChaosOpsAction(Record):
    """What a role does with its turn.

    Args:
        role: Who acts. The loop sets it to the role whose turn it is.
        action_type: The verb. Text that is no verb is kept as it is, and costs the turn.
        target: A service, an automation agent or a role, as the verb asks; `None` where it asks
            for nothing.
        args: The verb's arguments, JSON values by name. `hint` may be added to any verb: the
            levels (1 to 3) of the hints that were read before it.

    Making one never raises: what cannot be kept is replaced by its type's name in angle
    brackets, and the environment says what is wrong with it.
    """

    role: AgentRole
    action_type: ActionType | str
    target: str | None = None
    args: Mapping[str, Any] = field(default_factory=FrozenMap)

    def __post_init__(self) -> None:
        put = object.__setattr__
        if type(self.action_type) is not ActionType:
            put(self, "action_type", _verb(self.action_type))
        if self.target is not None:
            put(self, "target", _plain(self.target)[:200])
        if type(self.args) is not FrozenMap:
            put(self, "args", _arguments(self.args))


def _plain(value: object) -> str:
    """The text of a value that should be one; a subclass of `str` may override anything."""
    return clean(str.__str__(value)) if isinstance(value, str) else type_name(value)


def _verb(value: object) -> ActionType | str:
    name = _plain(value)
    try:
        return ActionType(name)
    except ValueError:
        return name[:80]


def _arguments(value: object) -> FrozenMap:
    if value is None:
        return EMPTY
    return FrozenMap({MALFORMED: value} if _pairs(value) is None else value)


def as_action(action: object, role: AgentRole) -> ChaosOpsAction:
    """The action with the role set; something that is no action becomes one that says so."""
    if not isinstance(action, ChaosOpsAction):
        return ChaosOpsAction(role, type_name(action))
    return action if action.role is role else replace(action, role=role)


class Proposal(NamedTuple):
    """A verb and a target that the sender of a message asks its receiver for."""

    action_type: ActionType
    target: str | None
    args: FrozenMap = EMPTY


class Finding(NamedTuple):
    """What an investigation showed.

    Attributes:
        text: What it says; of an incident of the second edition, a caption that says nothing.
        signs: The runbook's words for it, empty where the text says all there is.
        reading: What the instrument showed, None for incidents of the first edition.
    """

    minute: int
    role: AgentRole
    source: Source
    target: str
    text: str
    signs: tuple[Sign, ...]
    reading: Reading | None = None


class Message(NamedTuple):
    """What somebody said, in the channel or in one role's inbox.

    `to` is whom it is meant for, None for everyone; in the channel all read it nevertheless.
    A finding that is shared, and a proposal, come with the words.
    """

    minute: int
    sender: AgentRole
    to: AgentRole | None
    text: str
    proposal: Proposal | None
    finding: Finding | None


class ServiceSignals(NamedTuple):
    """The golden signals of one service over one minute, and its saturation.

    What a role does not see, or a service does not have, is None.

    Attributes:
        rps: Requests a second offered to the service.
        errors: Share of those that failed, 0 to 1, four decimals.
        p95_ms: Latency at the 95th percentile, along the whole call path.
        busy: Compute in use, percent.
        memory: Memory in use, percent of the limit.
        disk: Disk in use, percent.
        pool: Connections in use, percent of the pool.
        hit: Cache hits, percent.
        backlog: Requests or messages that wait.
        replicas: Instances that serve.
        lag: Seconds that copies of the data are behind.
    """

    service: str
    health: Health
    rps: int | None
    errors: float
    p95_ms: int
    busy: int | None
    memory: int | None
    disk: int | None
    pool: int | None
    hit: int | None
    backlog: int | None
    replicas: int | None
    lag: int | None = None


class ServiceNode(NamedTuple):
    """A service in the dependency graph, with the names of what it calls."""

    name: str
    kind: ServiceKind
    calls: tuple[str, ...]


class LogLine(NamedTuple):
    """One line of a service's log."""

    minute: int
    service: str
    level: LogLevel
    text: str


class Alert(NamedTuple):
    """An alert that fires: a symptom. `minute` is when it began."""

    minute: int
    service: str
    severity: Severity
    text: str


class Change(NamedTuple):
    """An entry in the change history."""

    minute: int
    service: str
    kind: ChangeKind
    version: str
    author: str
    text: str


class AuditEvent(NamedTuple):
    """One act of an automation agent, with what it says about itself."""

    minute: int
    agent: str
    act: str
    target: str
    reason: str
    approval: str


class InFlight(NamedTuple):
    """An action on its way, or one that has landed: it takes effect in the minute `lands`."""

    role: AgentRole
    action_type: ActionType
    target: str
    args: FrozenMap
    taken: int
    lands: int


class Measured(NamedTuple):
    """A signal of a service before an action landed and after."""

    signal: str
    unit: str
    before: float
    after: float


class Landing(NamedTuple):
    """What was measured when an action landed; not whether a cause is gone."""

    minute: int
    role: AgentRole
    action_type: ActionType
    target: str
    measured: tuple[Measured, ...]


class InForce(NamedTuple):
    """What an action has changed and what lasts: shed load, a drained instance, a paused agent.

    Attributes:
        role: Who took the action.
        args: What it was taken with.
        since: Minute in which it took effect.
        undo: The action that takes it back; None where nothing does.
    """

    role: AgentRole
    action_type: ActionType
    target: str
    args: FrozenMap
    since: int
    undo: Proposal | None


class Ticket(NamedTuple):
    """What a customer wrote to support."""

    minute: int
    text: str


class Doing(NamedTuple):
    """The last thing a role did, in words everyone may read."""

    role: AgentRole
    minute: int
    text: str


class Impact(NamedTuple):
    """What the incident costs the customers.

    Attributes:
        failed: Share of user requests that failed this minute, 0 to 1, four decimals.
        lost: User requests that failed since the page, in thousands, one decimal.
        tickets: The newest support tickets, oldest first.
        doing: Each role's last act, in the turn order.
    """

    failed: float
    lost: float
    tickets: tuple[Ticket, ...]
    doing: tuple[Doing, ...]


class Diagnosis(NamedTuple):
    """A declared root cause, and whether it is the right one."""

    minute: int
    role: AgentRole
    cause: FailureType
    right: bool


class Status(NamedTuple):
    """The incident in one line, the same for every role.

    Attributes:
        title: What the page said.
        minute: Minutes since the page.
        paged_at: Minute of the day of the page, so that minute m is at `paged_at + m`.
        turns: Turns the incident may last.
        users_ok: Share of user requests that succeeded this minute, 0 to 1, four decimals.
        slo: The share that should.
        held: Minutes in a row that the objective has been met.
        hold: Minutes it has to be met for.
        budget: Error budget left, percent, 0 when it is spent.
    """

    title: str
    minute: int
    paged_at: int
    turns: int
    users_ok: float
    slo: float
    held: int
    hold: int
    budget: int


class ArgumentChoice(NamedTuple):
    """One argument of a verb: the values to choose from, or any text where there are none."""

    name: str
    choices: tuple[str | int, ...]
    required: bool


class VerbChoice(NamedTuple):
    """A verb the role may use now, with its targets and arguments.

    `targets` is empty for a verb that takes none. `minutes` is how long it is in flight, from
    the fastest target to the slowest; (0, 0) acts at once.
    """

    action_type: ActionType
    group: str
    targets: tuple[str, ...]
    arguments: tuple[ArgumentChoice, ...]
    minutes: tuple[int, int]


class _RoleView(NamedTuple):
    role: AgentRole
    status: Status
    alerts: tuple[Alert, ...]
    channel: tuple[Message, ...]
    inbox: tuple[Message, ...]
    in_flight: tuple[InFlight, ...]
    landed: tuple[InFlight, ...]
    in_force: tuple[InForce, ...]
    diagnoses: tuple[Diagnosis, ...]
    findings: tuple[Finding, ...]
    graph: tuple[ServiceNode, ...]
    allowed: tuple[VerbChoice, ...]
    services: tuple[ServiceSignals, ...] | None
    history: tuple[tuple[ServiceSignals, ...], ...] | None
    logs: tuple[LogLine, ...] | None
    changes: tuple[Change, ...] | None
    audit: tuple[AuditEvent, ...] | None
    agents: tuple[str, ...] | None
    paused: tuple[str, ...] | None
    flagged: tuple[str, ...] | None
    health: tuple[tuple[str, Health], ...] | None
    impact: Impact | None
    landings: tuple[Landing, ...] | None = None


class RoleView(_RoleView, Record):
    """What one role sees. None means that the role does not see that part of the truth.

    The order of a list says nothing about the cause: what has a minute is sorted by it, oldest
    first, and within a minute by name and text; services stand in the topology's order, names of
    agents and signs in the alphabet's.

    Attributes:
        status, alerts, channel, in_flight, landed, in_force, diagnoses, graph: Shared by all roles.
            The page is the first alert.
        inbox: Messages of this role's private talk, in their order: those that were sent to it
            alone, and its own copies of those that it sent to one role.
        findings: Of this role's own investigations, oldest first.
        allowed: Everything the role may do now; the one list of it.
        services: Signals now, in the topology's order.
        history: Signals of the last minutes, oldest first, the newest one being `services`.
        logs: The tail of the logs this role reads, oldest first.
        changes: The change history, oldest first.
        audit: What the automation did and said, oldest first.
        paused, flagged: Names of the agents that are.
        health: Service and health, at a glance.
        impact: What it costs the customers.
        landings: What was measured of each action that landed, oldest first; None where an
            incident of the first edition is played, which measures nothing.
    """

    __slots__ = ()


class _ChaosOpsObservation(NamedTuple):
    turn_role: AgentRole
    view: RoleView
    step: int
    reward: float
    done: bool
    message: str


class ChaosOpsObservation(_ChaosOpsObservation, Record):
    """What the role whose turn it is gets to see, deeply immutable.

    Attributes:
        turn_role: Who acts next.
        view: What that role sees.
        step: Turns taken so far.
        reward: What the last turn paid; 0 after a reset.
        done: Whether the episode is over.
        message: What came of the last action, in words everyone may read.
    """

    __slots__ = ()


class _ChaosOpsState(NamedTuple):
    resolved: bool
    step_count: int
    cumulative_reward: float
    wrong_fixes: int
    oversight_flags: tuple[str, ...]
    declared_root_cause: FailureType | str | None
    done: bool
    faults_live: tuple[str, ...]
    users_ok: float


class ChaosOpsState(_ChaosOpsState, Record):
    """The state of an episode, for its referee; no player sees it."""

    __slots__ = ()


TURN_ORDER: tuple[AgentRole, ...] = (
    AgentRole.SRE,
    AgentRole.OVERSIGHT,
    AgentRole.DEV,
    AgentRole.MANAGER,
)
"""Oversight speaks before a fast fix can end the episode."""
