"""Policies that try what a policy must not, or break."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType

from chaosops.agents.policies import pass_turn
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, ChaosOpsObservation

SECRETS = frozenset(
    {
        "Scenario",
        "ScenarioSource",
        "Incident",
        "Drawing",
        "Draw",
        "Cause",
        "Topology",
        "ChaosOpsEnvironment",
        "Episode",
        "FleetWorld",
        "FirstEditionWorld",
        "LivingWorld",
        "World",
        "Stepper",
    }
)
"""Names of classes whose objects hold the truth, or lead to it."""


def hunts(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    """Write to all what it finds in its process: objects that know the answer, and their kinds."""
    found = sorted(_kinds_of_everything())
    text = f"found {', '.join(found)}" if found else "found nothing"
    return ChaosOpsAction(role, ActionType.COMMUNICATE, None, {"to": "all", "text": text})


def _kinds_of_everything() -> set[str]:
    """Walk all objects there are: those that are tracked, those that frames and modules hold."""
    waiting: list[object] = [*gc.get_objects(), *sys.modules.values()]
    for frame in sys._current_frames().values():
        here: FrameType | None = frame
        while here is not None:
            waiting += [*here.f_locals.values(), *here.f_globals.values()]
            here = here.f_back
    seen: set[int] = set()
    found: set[str] = set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or thing is seen or thing is waiting:
            continue
        seen.add(id(thing))
        if type(thing).__name__ in SECRETS and type(thing).__module__.startswith("chaosops"):
            found.add(type(thing).__name__)
        waiting += gc.get_referents(thing)
    return found


def notes_its_process(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    """Write to all which process it is in, and what it was started with."""
    text = f"{os.getpid()} {' '.join(sys.argv[1:])}"
    return ChaosOpsAction(role, ActionType.COMMUNICATE, None, {"to": "all", "text": text})


def tells_its_variables(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    """Write to all which environment variables it has."""
    args = {"to": "all", "text": " ".join(sorted(os.environ))}
    return ChaosOpsAction(role, ActionType.COMMUNICATE, None, args)


class TellsItsSeed:
    """Writes to all the seed that it was given."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        args = {"to": "all", "text": f"seed {self.seed}"}
        return ChaosOpsAction(role, ActionType.COMMUNICATE, None, args)


def dies_in_turn_8(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    if observation.step >= 8:
        os._exit(7)
    return pass_turn(observation, role)


def raises_in_turn_8(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    if observation.step >= 8:
        raise KeyError("oops")
    return pass_turn(observation, role)


def sleeps(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    time.sleep(60)
    return pass_turn(observation, role)


def prints(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    print("chatter", flush=True)
    os.write(1, b"more chatter\n")
    return pass_turn(observation, role)


def answers_with_a_number(observation: ChaosOpsObservation, role: AgentRole) -> object:
    return 7


def _answer_directly(body: bytes) -> None:
    """Write to the pipe of answers, past the process's own code."""
    for number in range(3, 64):
        try:
            target = Path(f"/proc/self/fd/{number}").readlink()
        except OSError:
            continue
        if str(target).startswith("pipe:"):
            try:
                os.write(number, body)
            except OSError:
                continue


def writes_nonsense(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    _answer_directly((5).to_bytes(4, "big") + b"{bad}")
    return pass_turn(observation, role)


def mark_of(pid: int) -> Path:
    """The file that a pickle would create in a process."""
    return Path(tempfile.gettempdir()) / f"chaosops-pickle-was-read-by-{pid}"


def writes_a_pickle(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    """Answer with a pickle that would create a file where it is read."""
    body = f"cposix\nsystem\n(S'touch {mark_of(os.getppid())}'\ntR.".encode()
    _answer_directly(len(body).to_bytes(4, "big") + body)
    return pass_turn(observation, role)


def writes_too_much(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    _answer_directly((1 << 30).to_bytes(4, "big"))
    return pass_turn(observation, role)
