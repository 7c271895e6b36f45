import subprocess
import sys

import pytest

_PROBE = """
import sys
from chaosops.cli.main import main
try:
    main(sys.argv[1:])
finally:
    print(*sorted(name for name in sys.modules), file=sys.stderr)
"""


def modules_of(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", _PROBE, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("scenarios", "list"),
        ("scenarios", "show", "EASIEST"),
        ("run", "EASIEST", "--policy", "all=noop"),
        ("play", "--help"),
        ("completion", "bash"),
    ],
    ids=" ".join,
)
def test_a_command_without_a_screen_imports_no_screen(
    arguments: tuple[str, ...], easiest: str
) -> None:
    loaded = modules_of(*(easiest if word == "EASIEST" else word for word in arguments))
    assert "chaosops.cli.main" in loaded
    assert not {name for name in loaded if name.split(".")[0] in {"textual", "rich", "tui"}}


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)], ids=" ".join)
def test_help_and_version_import_no_command_and_nothing_slow(arguments: tuple[str, ...]) -> None:
    loaded = modules_of(*arguments)
    assert not loaded & {"pydantic", "yaml", "asyncio", "chaosops.env.models"}
    commands = {name for name in loaded if name.startswith("chaosops.cli.")}
    assert commands == {"chaosops.cli.main", "chaosops.cli.errors", "chaosops.cli.lazy"}


@pytest.mark.few(1)
@pytest.mark.parametrize("screen", ["tui.screens.home.screen", "tui.screens.incident.start"])
def test_nothing_that_can_wait_is_imported_before_the_first_paint(screen: str) -> None:
    """pydantic alone would take as long as all the rest."""
    command = "chaosops.cli.main, chaosops.cli.play, chaosops.cli.game"
    first = f"import sys, {command}, tui.entry_points, tui.app, {screen}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", first], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert screen in loaded
    assert not loaded & {"pydantic", "yaml", "msgspec", "tomlkit", "tomllib"}
    assert not loaded & {
        "chaosops.agents.policies",
        "chaosops.env.environment",
        "chaosops.play.progress",
        "chaosops.play.session",
        "chaosops.presenter",
        "chaosops.rewards",
        "chaosops.scenarios.loader",
        "tui.screens.incident.screen",
        "tui.widgets.status.key_hints",
    }
    vocabulary = {name for name in loaded if name.startswith("chaosops.env.models.")}
    assert {name.rsplit(".", 1)[1] for name in vocabulary} <= {
        "action_types",
        "failures",
        "roles",
        "services",
        "sources",
    }
