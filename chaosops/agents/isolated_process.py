"""The process of an isolated policy: it reads observations and writes actions, nothing else.

Its parent starts it as `python -m chaosops.agents.isolated_process NAME`. What it is sent comes
pickled, from a parent that it may trust. What it answers is JSON, since nobody has to trust it.
"""

from __future__ import annotations

import json
import os
import pickle
import queue
import signal
import sys
import threading
from typing import Any, BinaryIO, Final, NoReturn

from chaosops.agents.isolated_messages import Act, Begin, message, read_message
from chaosops.agents.policy import Policy, answered_by_program, words_of
from chaosops.agents.registry import Policies, PolicyFactory
from chaosops.env.models import as_action
from chaosops.errors import ChaosOpsError

_LONGEST_ERROR: Final = 500


def main(name: str) -> NoReturn:
    """Answer requests with the policy of a name until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not sys.flags.safe_path:
        # The current folder, which -m puts before everything that is installed.
        sys.path.pop(0)
    answers = os.fdopen(os.dup(1), "wb")
    # What the policy prints must not get between the answers.
    os.dup2(2, 1)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(
        target=_receive, args=(os.fdopen(os.dup(0), "rb"), requests), daemon=True
    ).start()
    seat = _Seat(name)
    while True:
        answer = seat.answer(pickle.loads(requests.get()))
        answers.write(message(json.dumps(answer, allow_nan=False).encode()))
        answers.flush()


def _receive(stream: BinaryIO, requests: queue.SimpleQueue[bytes]) -> NoReturn:
    """Pass requests on, and end the process with the stream, whatever the policy does then."""
    while (body := read_message(stream)) is not None:
        requests.put(body)
    os._exit(0)


class _Seat:
    """The policy of an episode."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._factory: PolicyFactory | None = None
        self._policy: Policy | None = None

    def answer(self, request: Begin | Act) -> dict[str, Any]:
        """Return what the parent is told: an action, or an error in words."""
        try:
            return self._begin(request) if isinstance(request, Begin) else self._act(request)
        except _SeatError as error:
            cause = error.__cause__
            told = str(cause) if isinstance(cause, ChaosOpsError) else words_of(error.fault)
            return {"error": told[:_LONGEST_ERROR]}

    def _begin(self, request: Begin) -> dict[str, Any]:
        try:
            if self._factory is None:
                self._factory = Policies().find(self._name)
            self._policy = self._factory(request.seed)
        except Exception as fault:
            raise _SeatError(fault) from fault
        return {}

    def _act(self, request: Act) -> dict[str, Any]:
        policy = self._policy
        assert policy is not None
        try:
            action = as_action(policy(request.observation, request.role), request.role)
            values = action.model_dump(mode="json")
            json.dumps(values, allow_nan=False)
        except Exception as fault:
            raise _SeatError(fault) from fault
        return {"action": values, "by_program": answered_by_program(policy)}


class _SeatError(Exception):
    """Carries what the policy raised."""

    def __init__(self, fault: Exception) -> None:
        super().__init__(str(fault))
        self.fault = fault


if __name__ == "__main__":
    main(sys.argv[1])
