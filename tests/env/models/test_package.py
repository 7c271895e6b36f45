import subprocess
import sys
from importlib import import_module

import pytest

from chaosops.env import models


def test_every_name_of_the_vocabulary_is_there() -> None:
    provided = [name for names in models._NAMES.values() for name in names.split()]
    assert sorted(provided) == sorted(models.__all__)
    assert len(set(provided)) == len(provided)


@pytest.mark.parametrize("module", models._NAMES)
def test_a_name_is_the_one_of_its_module(module: str) -> None:
    names = models._NAMES[module].split()
    home = import_module(f"{models.__name__}.{module}")
    assert [getattr(models, name) for name in names] == [getattr(home, name) for name in names]


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Unknown'"):
        _ = models.Unknown  # type: ignore[attr-defined]
    with pytest.raises(ImportError):
        from chaosops.env.models import Unknown  # type: ignore[attr-defined]  # noqa: F401


def test_a_name_imports_no_module_that_it_does_not_need() -> None:
    first = "import sys; from chaosops.env.models import Difficulty; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", first], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("chaosops.env.models.")}
    assert loaded == {"chaosops.env.models.failures"}
