import pytest

from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction
from chaosops.play.wording import describe


def act(verb: ActionType | str, target: str | None = None, **args: object) -> ChaosOpsAction:
    return ChaosOpsAction(AgentRole.SRE, verb, target, args)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (act(ActionType.NOOP), "pass"),
        (act(ActionType.RESTART, "db"), "restart db"),
        (act(ActionType.INVESTIGATE, "db", source="runtime"), "investigate runtime of db"),
        (act(ActionType.SCALE, "payments", replicas=6), "scale payments to 6"),
        (act(ActionType.DIAGNOSE, cause="memory_leak"), "diagnose memory leak"),
        (
            act(ActionType.DIAGNOSE, cause="memory_leak", stake="certain", place="db"),
            "diagnose memory leak at db (certain)",
        ),
        (act(ActionType.DRAIN, "cart", unit="zone"), "drain cart (zone)"),
        (act(ActionType.ROLLBACK, "cart", change="CHG-7"), "rollback cart (CHG-7)"),
        (act(ActionType.RESTART, "cart", instance=2), "restart cart instance 2"),
        (act(ActionType.COMMUNICATE, to="dev", text="look"), "message to Dev: look"),
        (
            act(
                ActionType.COMMUNICATE,
                to="dev",
                proposal={"action_type": "rollback", "target": "auth"},
            ),
            "propose to Dev: rollback auth",
        ),
        (
            act(ActionType.ASSIGN, "sre", proposal={"action_type": "restart", "target": "db"}),
            "assign SRE: restart db",
        ),
        (act("explode", "db"), "explode db"),
        (act(ActionType.NOOP, hint=(1,)), "pass"),
    ],
)
def test_an_action_reads_as_a_person_would_say_it(action: ChaosOpsAction, words: str) -> None:
    assert describe(action) == words


@pytest.mark.parametrize("viewer", [AgentRole.SRE, AgentRole.DEV, None])
def test_sender_receiver_and_replay_read_a_private_message(viewer: AgentRole | None) -> None:
    secret = act(ActionType.COMMUNICATE, to="dev", text="between us")
    assert "between us" in describe(secret, viewer)


def test_nobody_else_reads_a_private_message() -> None:
    secret = act(ActionType.COMMUNICATE, to="dev", text="between us")
    assert describe(secret, AgentRole.MANAGER) == "private message to Dev"
