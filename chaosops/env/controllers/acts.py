"""What controllers do and ask for, as typed values without text."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from chaosops.env.models import Gates

NOT_A_RELEASE = -1
NOT_A_SERVICE = -1


class Deed(IntEnum):
    """What a controller did."""

    HOLD = 0
    SCALE_OUT = 1
    SCALE_IN = 2
    EJECT = 3
    PROMOTE = 4
    DELETE = 5
    PATCH = 6
    RESTART = 7
    RENEW = 20
    APPLY = 21


class ActReason(IntEnum):
    """Why it did so."""

    IN_BAND = 0
    CPU_ABOVE = 1
    CPU_BELOW = 2
    PROBES_PASS = 3
    PROBES_FAILED = 4
    CANARY_COMPLETE = 5
    STEP_COMPLETE = 6
    NOT_READ = 7
    UPDATES_DUE = 9
    NOT_DUE = 20
    DAYS_LEFT = 21
    AHEAD_OF_TURN = 22
    PLAN_AGE = 24
    OUT_OF_TURN = 25
    FAILING = 27


class ActStatus(IntEnum):
    """Whether it was done, or requested because the standing policy does not allow it.

    What was requested is granted and then done, denied, or lapses.
    """

    DONE = 0
    REQUESTED = 1
    LAPSED = 2
    GRANTED = 3
    DENIED = 4


class ControllerAct(NamedTuple):
    """An act of a controller, or its request for one.

    Attributes:
        target: Number of the service.
        before, after: Instances, the percent of them that run a build, stored objects, or the hosts
            of a service and those that were left alone; of a renewal, all instances and those that
            loaded it; of a record, the plans.
        value: What the reason is about: CPU in percent, failed probes, minutes of canary, days
            without a read, zones, days that a certificate has left, or the age of a plan.
        gates: Of a promotion, the gates that the build passed and those the bot asked for.
        release: Number of the release; -1 if it is about none.
        share: Of a request, the percent of the service's traffic that it concerns.
        lapses: Of a request, the minute in which it lapses; the state is then left as it is.
        is_faulty: Whether a defect of the controller or of the build makes it harmful.
        read: Of a request, the minute of the reading that it rests on.
        about: Of a request, the service that the reading is of; -1 for the target.
        is_needed: Of a request, whether something breaks if it is not done.
    """

    minute: int
    agent: str
    deed: Deed
    target: int
    before: int
    after: int
    reason: ActReason
    value: int
    gates: Gates | None = None
    release: int = NOT_A_RELEASE
    status: ActStatus = ActStatus.DONE
    share: int = 0
    lapses: int = 0
    is_faulty: bool = False
    read: int = 0
    about: int = NOT_A_SERVICE
    is_needed: bool = False
