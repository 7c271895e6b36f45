"""The environment: one incident at a time, turn by turn, for whoever plays it."""

from __future__ import annotations

from chaosops.env.episode import Episode
from chaosops.env.models import TURN_ORDER, ChaosOpsAction, ChaosOpsObservation, ChaosOpsState
from chaosops.env.world_sim import Fleet, Scenario, World
from chaosops.errors import EpisodeOver
from chaosops.rewards.reward_fn import Prices, RewardWeights, StepRewardBreakdown


class ChaosOpsEnvironment:
    """Plays one scenario at a time: `reset`, then `step` until the observation says `done`.

    A reset makes it as good as a fresh one. Nothing it hands out can change, or change it.
    """

    turn_order = TURN_ORDER

    def __init__(self, weights: RewardWeights | None = None) -> None:
        self._weights = weights or RewardWeights()
        self._prices = Prices(self._weights)
        self._episode: Episode | None = None
        self._fleet: Fleet | None = None
        self._began: tuple[Scenario, int] | None = None
        self._taken: list[ChaosOpsAction] = []

    def __deepcopy__(self, memo: dict[int, object]) -> ChaosOpsEnvironment:
        """An environment that stands where this one does, and goes its own way from there.

        It plays the episode again up to here, since nobody else may hold the world.
        """
        other = ChaosOpsEnvironment(self._weights)
        if self._began is not None:
            scenario, turns = self._began
            other.reset(scenario, max_turns=turns)
            for action in self._taken:
                other.step(action)
        return other

    def reset(self, scenario: Scenario, *, max_turns: int | None = None) -> ChaosOpsObservation:
        """Start the scenario; the observation is the one that the first role acts on.

        Args:
            max_turns: Turns until it ends unresolved, by default `scenario.max_steps` times the
                number of roles.

        Raises:
            ValueError: `max_turns` is below 1.
        """
        if max_turns is not None and max_turns < 1:
            raise ValueError(f"max_turns must be 1 or more, not {max_turns}")
        turns = scenario.max_steps * len(TURN_ORDER) if max_turns is None else max_turns
        self._began, self._taken = (scenario, turns), []
        self._fleet = Fleet.of(scenario, self._fleet)
        self._episode = Episode(scenario, World(scenario, self._fleet), turns, self._prices)
        return self._episode.observe(0.0, f"Paged: {scenario.page}")

    def step(self, action: ChaosOpsAction) -> ChaosOpsObservation:
        """Take the turn of the role whose turn it is, and let a minute pass.

        A malformed action is no error: it costs the turn, and the message says what is wrong.

        Raises:
            EpisodeOver: The episode is over, or there was no reset.
        """
        if self._episode is None:
            raise EpisodeOver("there is no episode yet: call reset(scenario=...) first")
        seen = self._episode.step(action)
        self._taken.append(action)
        return seen

    @property
    def last_breakdown(self) -> StepRewardBreakdown:
        """What the last turn paid, by component; all zero after a reset."""
        return self._episode.last if self._episode else StepRewardBreakdown()

    @property
    def state(self) -> ChaosOpsState:
        """Where the episode stands, for its referee.

        Raises:
            EpisodeOver: There was no reset.
        """
        if self._episode is None:
            raise EpisodeOver("there is no episode yet: call reset(scenario=...) first")
        return self._episode.state()
