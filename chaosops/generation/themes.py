"""The names of generated fleets, by theme."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pydantic import TypeAdapter

from chaosops.env.models.topology import Line, Name, Strict
from chaosops.generation.data_files import read_data
from chaosops.generation.dice import SeededDice


class CommonNames(Strict):
    """Names that any fleet may have.

    Attributes:
        fronts: What users open.
        cores: What these need, each with the table that it mostly uses.
        sides: What users can do without.
    """

    fronts: tuple[Name, ...]
    cores: Mapping[Name, Name]
    sides: tuple[Name, ...]


class Theme(CommonNames):
    """What a fleet is for, and its names.

    Attributes:
        product: What its users call it.
        things: What they wait for there.
        externals: Third parties.
    """

    id: Name
    title: Line
    product: Line
    things: Line
    externals: tuple[Name, ...]


class NameDeck:
    """Deals the names of a fleet, each once; a theme's own come before the common ones."""

    def __init__(self, theme: Theme, common: CommonNames, dice: SeededDice) -> None:
        self._fronts = _dealt(theme.fronts, common.fronts, dice.of("fronts"))
        self._cores = _dealt(theme.cores, common.cores, dice.of("cores"))
        self._sides = _dealt(theme.sides, common.sides, dice.of("sides"))
        self._externals = dice.of("externals").shuffled(theme.externals)
        self._tables = {**common.cores, **theme.cores}

    def fronts(self, count: int) -> tuple[str, ...]:
        """Return names of services that users open."""
        return tuple(self._fronts[:count])

    def cores(self, count: int) -> tuple[str, ...]:
        """Return names of services that these need."""
        return tuple(self._cores[:count])

    def sides(self, count: int) -> tuple[str, ...]:
        """Return names of services that users can do without."""
        return tuple(self._sides[:count])

    def externals(self, count: int) -> tuple[str, ...]:
        """Return names of third parties."""
        return tuple(self._externals[:count])

    def table(self, core: str) -> str:
        """Return the table that a service mostly uses."""
        return self._tables[core]


def _dealt(own: Collection[str], common: Collection[str], dice: SeededDice) -> list[str]:
    more = [name for name in common if name not in own]
    return [*dice.of("own").shuffled(own), *dice.of("common").shuffled(more)]


def draw_theme(dice: SeededDice) -> tuple[Theme, NameDeck]:
    """Draw a theme, and shuffle its names."""
    data = read_data("themes.yaml")
    themes = TypeAdapter(tuple[Theme, ...]).validate_python(data["themes"])
    theme = dice.of("theme").pick(themes)
    return theme, NameDeck(theme, CommonNames.model_validate(data["common"]), dice)
