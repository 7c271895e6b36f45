"""Finds policies by name: built in, offered by an installed package, or in a module."""

from __future__ import annotations

import difflib
import importlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from chaosops.agents.names import FORMER_NAMES, POLICY_NAMES, installed, is_built_in, is_place
from chaosops.errors import ChaosOpsError

if TYPE_CHECKING:
    from chaosops.agents.policy import Policy
    from chaosops.env.world_sim import Scenario

PolicyFactory = Callable[[int], "Policy"]
"""Makes a policy for one seat of one episode, given its seed."""

PolicyFamily = Callable[[str], PolicyFactory]
"""Finds one of many policies by what stands behind `FAMILY:`; raises ChaosOpsError."""


class PolicyNameError(ChaosOpsError):
    """A name for which there is no policy, or whose policy can't be made."""


class Policies:
    """Makes policies by name.

    A name is one of `POLICY_NAMES` or `FORMER_NAMES`, the name of an entry point in the group
    `chaosops.policies`, `module:function`, or `family:rest` for one of the families.

    What an entry point or `module:function` names is either the policy itself, a function of an
    observation and a role, or makes one: a class, or a function that takes at most a `seed`. Those
    are called anew for each seat of each episode.
    """

    def __init__(
        self, families: Mapping[str, PolicyFamily] | None = None, named: Iterable[str] = ()
    ) -> None:
        """Create a registry.

        Args:
            families: Policies that are found by a word before a colon, which takes precedence
                over a module of that name.
            named: Further names to offer, such as those that were typed on a command line.
        """
        self._families = dict(families or {})
        self._named = tuple(dict.fromkeys(named))
        self._found: dict[str, PolicyFactory] = {}

    def __getstate__(self) -> tuple[dict[str, PolicyFamily], tuple[str, ...]]:
        return self._families, self._named

    def __setstate__(self, state: tuple[dict[str, PolicyFamily], tuple[str, ...]]) -> None:
        Policies.__init__(self, *state)

    @property
    def extra(self) -> tuple[str, ...]:
        """The names to offer beside the built-in ones."""
        names = dict.fromkeys((*installed(), *self._named))
        return tuple(name for name in names if not is_built_in(name))

    def is_in_family(self, name: str) -> bool:
        """Whether a name is one of a family's."""
        first, colon, _rest = name.partition(":")
        return bool(colon) and first in self._families

    def make(self, name: str, scenario: Scenario, seed: int) -> Policy:
        """Make the policy of a name for one seat of one episode.

        Raises:
            PolicyNameError: There is no policy of that name, or it can't be made.
        """
        if is_built_in(name):
            from chaosops.agents.policies import make_policy

            return make_policy(name, scenario, seed)
        return self.find(name)(seed)

    def check(self, name: str) -> None:
        """Check that there is a policy of a name, which imports its module.

        Raises:
            PolicyNameError: There is none.
        """
        if not is_built_in(name):
            self.find(name)

    def find(self, name: str) -> PolicyFactory:
        """Find a policy that is not built in, and keep it.

        Raises:
            PolicyNameError: There is none, or its module can't be imported.
        """
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._search(name)
        return found

    def _search(self, name: str) -> PolicyFactory:
        if self.is_in_family(name):
            first, _, rest = name.partition(":")
            return self._families[first](rest)
        if is_place(name):
            return _factory(name, _at(name, name))
        offered = installed()
        entries = offered.get(name, ())
        if len(entries) > 1:
            places = " or ".join(entry.value for entry in entries)
            raise PolicyNameError(f"several packages have a policy '{name}': write {places}")
        if entries:
            return _factory(name, _at(name, entries[0].value))
        known = (*POLICY_NAMES, *offered)
        close = difflib.get_close_matches(name[:80], (*known, *FORMER_NAMES), 1)
        meant = f"did you mean '{close[0]}'? Choose" if close else "choose"
        raise PolicyNameError(
            f"there is no policy '{name}': {meant} from {', '.join(known)}, or name your own as "
            "MODULE:FUNCTION"
        )


def _at(name: str, place: str) -> object:
    """Import what stands at `module:attribute`."""
    module_name, _, path = place.partition(":")
    found: object = _module(name, module_name)
    for part in path.split("."):
        if not hasattr(found, part):
            near = difflib.get_close_matches(part, _public(found), 1)
            cure = f"did you mean {near[0]}?" if near else "check the name after the colon"
            raise PolicyNameError(
                f"there is no policy '{name}': {module_name} has no '{path}'; {cure}"
            )
        found = getattr(found, part)
    return found


def _public(thing: object) -> list[str]:
    return [each for each in dir(thing) if not each.startswith("_")]


def _module(name: str, module: str) -> ModuleType:
    """Import a module from Python's path, or else from the current folder."""
    from chaosops.agents.policy import words_of

    try:
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            if not _is_missing(module, error) or not _can_look_here():
                raise
            # At the end, so that no file here takes the place of an installed module.
            sys.path.append(str(Path.cwd()))
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if _is_missing(module, error):
            raise PolicyNameError(
                f"there is no policy '{name}': no module '{module}'; install its package, or "
                "start in the folder that has it"
            ) from error
        raise PolicyNameError(
            f"the policy '{name}' needs the module '{error.name}': install it"
        ) from error
    except (Exception, SystemExit) as error:
        words = words_of(error) if isinstance(error, Exception) else "it ends the program"
        raise PolicyNameError(
            f"the policy '{name}' can't be imported: {words}; fix its module, "
            f"python -c 'import {module}' shows where"
        ) from error


def _is_missing(module: str, error: ModuleNotFoundError) -> bool:
    """Whether it is the module itself, or a package that it is in, that is not there."""
    return error.name is not None and f"{module}.".startswith(f"{error.name}.")


def _can_look_here() -> bool:
    here = str(Path.cwd())
    return not sys.flags.safe_path and here not in sys.path and "" not in sys.path


def _factory(name: str, thing: Any) -> PolicyFactory:
    """Return what makes the policy: itself each time, or a call of what was found."""
    if not callable(thing):
        raise PolicyNameError(
            f"there is no policy '{name}': it is of type {type(thing).__name__}; name a function "
            "of an observation and a role, or a class whose objects can be called with them"
        )
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return _Shared(name, thing)
    parameters = list(signature.parameters.values())
    if not inspect.isclass(thing) and _takes_turns(signature) and parameters[0].name != "seed":
        return _Shared(name, thing)
    for parameter in parameters:
        needed = parameter.default is parameter.empty and parameter.kind not in (
            parameter.VAR_POSITIONAL,
            parameter.VAR_KEYWORD,
        )
        if needed and parameter.name != "seed":
            raise PolicyNameError(
                f"the policy '{name}' can't be made: it needs '{parameter.name}', and only 'seed' "
                "is given to it"
            )
    return _Maker(name, thing, "seed" in signature.parameters)


def _takes_turns(signature: inspect.Signature) -> bool:
    """Whether it can be called with an observation and a role."""
    try:
        signature.bind(None, None)
    except TypeError:
        return False
    return bool(signature.parameters)


class _Shared:
    """Gives the same policy to every seat."""

    def __init__(self, name: str, policy: Policy) -> None:
        self._policy = _checked(name, policy)

    def __call__(self, seed: int) -> Policy:
        return self._policy


class _Maker:
    """Makes a policy for each seat."""

    def __init__(self, name: str, thing: Callable[..., Any], takes_seed: bool) -> None:
        self._name, self._thing, self._takes_seed = name, thing, takes_seed

    def __call__(self, seed: int) -> Policy:
        from chaosops.agents.policy import words_of

        try:
            made = self._thing(seed=seed) if self._takes_seed else self._thing()
        except Exception as fault:
            raise PolicyNameError(
                f"the policy '{self._name}' can't be made: {words_of(fault)}; fix its module"
            ) from fault
        return _checked(self._name, made)


def _checked(name: str, policy: Any) -> Policy:
    if inspect.isclass(policy) or not callable(policy):
        raise PolicyNameError(
            f"the policy '{name}' can't be called: give a function of an observation and a role"
        )
    if inspect.iscoroutinefunction(policy) or inspect.iscoroutinefunction(type(policy).__call__):
        raise PolicyNameError(
            f"the policy '{name}' is asynchronous: write a plain function, which may take its time"
        )
    checked: Policy = policy
    return checked
