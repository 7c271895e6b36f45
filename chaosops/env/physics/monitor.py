"""What monitoring knows of a service: the results of its checks, and how old its figures are.

Checks from outside have credentials and addresses of their own. Where those fail, the error ratio
that is shown and alerted on contains failures that no user has. Where figures are not collected,
what is shown is as old as the last ones that were (Prometheus: a target that cannot be scraped
leaves the value of the last five minutes, then a gap).

Nothing here changes what a service does: it is read by whoever reads the collected figures.
"""

from __future__ import annotations

from typing import ClassVar

from chaosops.env.physics.component import Component


class Monitor(Component):
    """The monitoring of a service.

    Attributes:
        checks: Share of failures among what is counted that only checks have.
        counted: Share of failures that is counted on top because so few requests are.
        late: Minutes by which the newest collected figures are old.
    """

    name: ClassVar[str] = "monitor"
    parameters: ClassVar[tuple[str, ...]] = ("checks", "counted", "late")

    def __init__(self, service: int) -> None:
        super().__init__(service)
        self.checks = self.counted = self.late = 0.0

    def copy(self) -> Component:
        """Return monitoring in the same state."""
        twin = Monitor(self.service)
        twin.checks = self.checks
        twin.counted = self.counted
        twin.late = self.late
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.checks = self.counted = self.late = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `checks` or `counted`, shares of failures, or `late`, minutes."""
        if parameter == "checks":
            self.checks = min(1.0, self.checks + value)
        elif parameter == "counted":
            self.counted = min(1.0, self.counted + value)
        else:
            self.late += value

    def reported(self, errors: float) -> float:
        """Return the error ratio that is shown, given the real one."""
        if self.checks <= 0.0 and self.counted <= 0.0:
            return errors
        return 1.0 - (1.0 - errors) * (1.0 - self.checks) * (1.0 - self.counted)
