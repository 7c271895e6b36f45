"""Failure types and levels: what a diagnosis can name, and how hard an incident is."""

from __future__ import annotations

from enum import StrEnum


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
