"""Policies in processes of their own, which get views and give actions, nothing else."""

from __future__ import annotations

import json
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, Self

from chaosops.agents.isolated_messages import (
    LARGEST_ANSWER,
    Act,
    Begin,
    message,
    read_message,
)
from chaosops.agents.names import is_built_in
from chaosops.agents.policy import Policy
from chaosops.agents.registry import Policies
from chaosops.env.models import EMPTY, TURN_ORDER, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError

PATIENCE: Final = 600.0
"""Seconds that an isolated policy may take for a turn."""

_VARIABLES: Final = frozenset(
    {
        "HOME", "LANG", "LD_LIBRARY_PATH", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONHOME",
        "PYTHONUTF8", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "TZ", "USERPROFILE", "VIRTUAL_ENV",
    }
)  # fmt: skip

_END_SECONDS: Final = 3.0
_LOOKS_UP_SECONDS: Final = 0.5


class IsolatedPolicyError(ChaosOpsError):
    """An isolated policy raised, answered nonsense, took too long, or its process ended."""


class IsolatedSeats:
    """Seats policies so that none can reach the simulator.

    Each seat has a process that stays from one episode to the next. Built-in policies and those of
    families are part of the project, and play in this process. What isolated policies are told
    besides the views is a seed that is the same in every episode.
    """

    def __init__(self, registry: Policies | None = None, *, patience: float = PATIENCE) -> None:
        """Choose where built-in policies come from, and how long a turn may take.

        Args:
            patience: In seconds.
        """
        self._registry = registry or Policies()
        self._patience = patience
        self._processes: dict[tuple[AgentRole, str], _IsolatedProcess] = {}

    def __getstate__(self) -> tuple[Policies, float]:
        return self._registry, self._patience

    def __setstate__(self, state: tuple[Policies, float]) -> None:
        registry, patience = state
        IsolatedSeats.__init__(self, registry, patience=patience)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes."""
        for process in self._processes.values():
            process.close()
        self._processes.clear()

    def check(self, name: str) -> None:
        """Check that a policy can be made, in a process of its own.

        Raises:
            ChaosOpsError: It can't.
        """
        if self._plays_here(name):
            self._registry.check(name)
            return
        process = _IsolatedProcess(name, self._patience)
        try:
            process.ask(Begin(0), starts=True)
        finally:
            process.close()

    def seat(self, names: Mapping[AgentRole, str], scenario: Scenario) -> dict[AgentRole, Policy]:
        """Make the policies of one episode; see `chaosops.agents.seats.seat_policies`."""
        seats: dict[AgentRole, Policy] = {}
        for index, role in enumerate(TURN_ORDER):
            name = names.get(role)
            if name is None:
                continue
            if self._plays_here(name):
                seed = scenario.seed * len(TURN_ORDER) + index
                seats[role] = self._registry.make(name, scenario, seed)
            else:
                seats[role] = _IsolatedPolicy(self._process(role, name), index)
        return seats

    def _plays_here(self, name: str) -> bool:
        return is_built_in(name) or self._registry.is_in_family(name)

    def _process(self, role: AgentRole, name: str) -> _IsolatedProcess:
        key = role, name
        if key not in self._processes:
            self._processes[key] = _IsolatedProcess(name, self._patience)
        return self._processes[key]


class _IsolatedPolicy:
    """The policy of one seat in one episode.

    Attributes:
        answered_by_program: Whether the last answer came from another program, as it says.
    """

    def __init__(self, process: _IsolatedProcess, seed: int) -> None:
        self.answered_by_program = False
        self._process = process
        self._seed = seed
        self._has_begun = False

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        if not self._has_begun:
            self._process.ask(Begin(self._seed), starts=True)
            self._has_begun = True
        answer = self._process.ask(Act(observation, role))
        action = answer.get("action")
        if not isinstance(action, dict):
            raise self._process.nonsense()
        self.answered_by_program = answer.get("by_program") is True
        target = action.get("target")
        return ChaosOpsAction(
            role,
            str(action.get("action_type")),
            None if target is None else str(target),
            action.get("args") or EMPTY,
        )


class _IsolatedProcess:
    """A process with a policy, which is started when it is asked something."""

    def __init__(self, name: str, patience: float) -> None:
        self._name = name
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._answers = _Answers()

    def ask(self, request: Begin | Act, *, starts: bool = False) -> dict[str, Any]:
        """Return the answer to a request.

        Args:
            starts: Whether to start the process if it doesn't run.

        Raises:
            IsolatedPolicyError: There is none, or it is an error.
        """
        if starts and (self._process is None or self._process.poll() is not None):
            self._start()
        process = self._process
        if process is None or process.stdin is None:
            raise self._gone()
        try:
            process.stdin.write(message(pickle.dumps(request, pickle.HIGHEST_PROTOCOL)))
            process.stdin.flush()
        except OSError:
            raise self._gone() from None
        try:
            answer = self._answers.next(self._patience)
        except queue.Empty:
            self.close()
            raise IsolatedPolicyError(
                f"the policy '{self._name}' did not answer within {self._patience:g} seconds: its "
                "process was ended"
            ) from None
        if answer is None:
            raise self._gone()
        return self._understood(answer)

    def nonsense(self) -> IsolatedPolicyError:
        """End the process, and return the error of an answer that can't be understood."""
        self.close()
        return IsolatedPolicyError(
            f"the process of the policy '{self._name}' answered something that is no action"
        )

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        self._answers.close()
        if process is None:
            return
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        try:
            process.wait(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if sys.platform != "win32":
            # What it has started is in its group.
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)

    def _start(self) -> None:
        self.close()
        # A folder of the parent's Python path may be relative to where it was started.
        path = os.pathsep.join(str(Path(each).absolute()) for each in sys.path if each)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "chaosops.agents.isolated_process", self._name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**_environment(), "PYTHONPATH": path},
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self._answers = _Answers()
        self._answers.read_from(self._process.stdout)

    def _gone(self) -> IsolatedPolicyError:
        process = self._process
        code = None
        if process is not None:
            with suppress(subprocess.TimeoutExpired):
                code = process.wait(timeout=_END_SECONDS)
        self.close()
        how = "closed its pipe" if code is None else f"ended with exit code {code}"
        if code is not None and code < 0:
            with suppress(ValueError):
                how = f"was killed by {signal.Signals(-code).name}"
        return IsolatedPolicyError(f"the process of the policy '{self._name}' {how}")

    def _understood(self, answer: bytes) -> dict[str, Any]:
        try:
            found = json.loads(answer)
        except (ValueError, RecursionError):
            raise self.nonsense() from None
        if not isinstance(found, dict):
            raise self.nonsense()
        if "error" in found:
            raise IsolatedPolicyError(str(found["error"]))
        return found


def _environment() -> dict[str, str]:
    """Return the variables that Python and its libraries need, none of which holds a secret."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in _VARIABLES or name.startswith("LC_")
    }


class _Answers:
    """The answers of a process, read one at a time, so that it can't fill the memory with them."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[bytes | None] = queue.Queue(1)
        self._closed = threading.Event()

    def read_from(self, stream: IO[bytes]) -> None:
        """Start to read a stream, which is closed at its end."""
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def next(self, patience: float) -> bytes | None:
        """Return the next answer; None if there will be no more.

        Raises:
            queue.Empty: None came within so many seconds.
        """
        return self._waiting.get(timeout=patience)

    def close(self) -> None:
        """Read no more."""
        self._closed.set()

    def _read(self, stream: IO[bytes]) -> None:
        with stream:
            body: bytes | None = b""
            while body is not None:
                body = None
                with suppress(OSError, ValueError):
                    body = read_message(stream, LARGEST_ANSWER)
                while not self._closed.is_set():
                    with suppress(queue.Full):
                        self._waiting.put(body, timeout=_LOOKS_UP_SECONDS)
                        break
                if self._closed.is_set():
                    return
