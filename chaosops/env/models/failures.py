"""Failure types and levels: what a diagnosis can name, and how hard an incident is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema


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
    LOST_LEADER = "lost_leader"
    TWO_WRITERS = "two_writers"
    STALE_CACHE = "stale_cache"
    PORT_EXHAUSTION = "port_exhaustion"
    THIRD_PARTY_DOWN = "third_party_down"
    HOSTILE_TRAFFIC = "hostile_traffic"
    TRAFFIC_SURGE = "traffic_surge"
    HOT_PARTITION = "hot_partition"
    SLOW_CONSUMER = "slow_consumer"
    REBALANCE_LOOP = "rebalance_loop"


_TAXONOMY: Final[Mapping[str, FailureType]] = MappingProxyType({kind: kind for kind in FailureType})
_PATTERN: Final = "[a-z][a-z0-9_-]{0,39}"
_IS_NAME: Final = re.compile(_PATTERN)


def cause_named(name: str) -> FailureType | str:
    """Return the failure type of a name; an author's own one is the name itself."""
    return _TAXONOMY.get(name, name)


def is_cause_name(value: object) -> bool:
    """Whether a diagnosis could name it: a failure type, or one that an author may have added."""
    return isinstance(value, str) and _IS_NAME.fullmatch(value) is not None


class _ReadByName:
    """Reads a name in the taxonomy as its member, and any other name as text."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        from pydantic_core import core_schema

        name = core_schema.str_schema(pattern=f"^{_PATTERN}$", strict=True)
        return core_schema.no_info_after_validator_function(cause_named, name)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        # Written out, since versions of pydantic differ in whether a handler gives a reference.
        member = {
            "description": FailureType.__doc__,
            "enum": [kind.value for kind in FailureType],
            "title": FailureType.__name__,
            "type": "string",
        }
        return {"anyOf": [member, handler(schema)]}


class _TaxonomyInFiles:
    """Reads members alone from JSON, as files and recordings have it; code may use any text."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        from pydantic_core import core_schema

        member = handler.generate_schema(FailureType)
        text = core_schema.no_info_after_validator_function(cause_named, core_schema.str_schema())
        return core_schema.json_or_python_schema(member, text)


CauseName: TypeAlias = Annotated[FailureType | str, _ReadByName()]
"""What a diagnosis names: a failure type, or the name of one that an author's cause adds."""

DrawnCauseName: TypeAlias = Annotated[FailureType | str, _TaxonomyInFiles()]
"""The same in an incident, whose file can only name the taxonomy while a seed draws any cause."""


class OwnCause(NamedTuple):
    """A failure type that an author's cause adds to the taxonomy.

    Attributes:
        name: What a diagnosis names.
        aliases: Other names that a player may type.
        glossary: Its definition, in a sentence.
    """

    name: str
    aliases: tuple[str, ...]
    glossary: str


class Difficulty(StrEnum):
    """The level of an incident."""

    TUTORIAL = "tutorial"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
