import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from chaosops.cli.recording_options import Day
from chaosops.recording.consent import ConsentStore
from chaosops.recording.library import look
from chaosops.recording.reader import read_recording
from chaosops.recording.reference import page
from chaosops.recording.upkeep import compress
from chaosops.scenarios.renamed_ids import renamed_ids
from tests.cli.helpers import is_one_line_with_a_cure, run_here
from tests.recording.games import PLAYER, record, rewrite, scenario

Capture = pytest.CaptureFixture[str]

SCALES = ("mental", "physical", "temporal", "performance", "effort", "frustration")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own recordings, empty."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "data" / "chaosops" / "recordings"
    folder.mkdir(parents=True)
    return folder


def test_recordings_are_listed_with_what_matters(data: Path, capsys: Capture) -> None:
    path = record(data)
    done = run_here(capsys, "recordings", "list")
    assert (done.code, done.err) == (0, "")
    head, row = done.out.splitlines()
    assert head.split()[:3] == ["FILE", "STARTED", "SCENARIO"]
    assert row.split()[0] == path.name
    assert scenario().id in row
    assert "human, random" in row


def test_a_list_as_json_is_an_object_a_line(data: Path, capsys: Capture) -> None:
    paths = [record(data, seed=1), record(data, seed=2, turns=3, player=PLAYER)]
    done = run_here(capsys, "recordings", "list", "--json")
    rows = {row["path"]: row for row in map(json.loads, done.out.splitlines())}
    assert set(rows) == {str(path) for path in paths}
    first, second = (rows[str(path)] for path in paths)
    assert first["turns"] == len(read_recording(paths[0]).turns)
    assert first["cumulative_reward"] == pytest.approx(
        sum(frame.reward for frame in read_recording(paths[0]).frames)
    )
    assert second["outcome"] == "unfinished"
    assert second["pseudonym"] == PLAYER.pseudonym
    assert second["consent"]["scopes"] == ["actions"]


@pytest.mark.slow
def test_lists_are_filtered(data: Path, capsys: Capture) -> None:
    record(data, seed=1)
    record(data, seed=2, turns=3)

    def seeds(*options: str) -> list[int]:
        out = run_here(capsys, "recordings", "list", "--json", *options).out
        return sorted(json.loads(line)["seed"] for line in out.splitlines())

    assert seeds() == [1, 2]
    assert seeds("--outcome", "unfinished") == [2]
    assert seeds("--scenario", "another") == []
    assert seeds("--source", "human", "--role", "sre") == [1, 2]
    assert seeds("--source", "human", "--role", "dev") == []
    assert seeds("--since", "2100-01-01") == []
    assert seeds("--until", "2100-01-01", "--verified") == [1, 2]
    assert seeds("--unverified") == []
    assert seeds("--discarded") == []


def test_every_command_says_alike_what_another_version_of_the_format_is_about(
    data: Path, capsys: Capture
) -> None:
    changes = {"schema_version": 2, "chaosops": "9.0.1"}
    path = rewrite(record(data), 1, lambda event: event["header"].update(changes))
    said = "its log format is 2, but this version reads 1; chaosops 9.0.1 wrote it, and this is"
    listed = run_here(capsys, "recordings", "list")
    shown = run_here(capsys, "recordings", "show", str(path))
    proved = run_here(capsys, "recordings", "verify")
    replayed = run_here(capsys, "replay", "--plain", str(path))
    for done, text in (
        (listed, listed.err),
        (shown, shown.err),
        (proved, proved.out),
        (replayed, replayed.err),
    ):
        assert done.code == 1
        assert said in text
        assert "update ChaosOps, or export it with chaosops 9.0.1" in text
    row = json.loads(run_here(capsys, "recordings", "list", "--json").out)
    assert row["outcome"] == "other_version"


def test_an_empty_folder_has_no_recordings(data: Path, capsys: Capture) -> None:
    assert run_here(capsys, "recordings", "list").out == "no recordings\n"
    data.rmdir()
    assert run_here(capsys, "recordings", "list").code == 0
    assert run_here(capsys, "recordings", "verify").out == "0 recordings: none\n"


def test_a_file_that_cannot_be_read_is_named_beside_the_others(data: Path, capsys: Capture) -> None:
    record(data)
    (data / "broken.jsonl").write_text("hello\n")
    done = run_here(capsys, "recordings", "list")
    assert done.code == 1
    assert len(done.out.splitlines()) == 2
    assert is_one_line_with_a_cure(done.err)
    assert "broken.jsonl" in done.err
    shown = run_here(capsys, "recordings", "show", str(data / "broken.jsonl"))
    assert shown.code == 1
    assert is_one_line_with_a_cure(shown.err)


def test_a_recording_is_shown(data: Path, capsys: Capture) -> None:
    path = record(data)
    lines = run_here(capsys, "recordings", "show", str(path)).out.splitlines()
    assert f"scenario {scenario().id}" in [" ".join(line.split()) for line in lines]
    facts = json.loads(run_here(capsys, "recordings", "show", str(path), "--json").out)
    assert facts["seats"]["sre"] == {"kind": "human", "policy": None}


def test_a_persons_words_cannot_pass_for_a_field(data: Path, capsys: Capture) -> None:
    path = record(data)
    comment = "neat\noutcome        resolved\u2028turns 99"
    assert run_here(capsys, "recordings", "rate", str(path), "--comment", comment).code == 0
    rewrite(path, 1, lambda event: event["header"].update(chaosops="1\nturns   99"))
    lines = run_here(capsys, "recordings", "show", str(path)).out.splitlines()
    facts = json.loads(run_here(capsys, "recordings", "show", str(path), "--json").out)
    assert [line.split()[0] for line in lines] == [name.split("_")[0] for name in facts]
    (line,) = (line for line in lines if line.startswith("comment"))
    assert json.loads(line.removeprefix("comment")) == facts["comment"]


def test_a_file_cannot_put_a_verdict_of_its_own_among_the_others(
    data: Path, capsys: Capture
) -> None:
    forged = "x\n/a.jsonl: verified, 9 turns"
    path = rewrite(record(data), 6, lambda event: event["human"].update({forged: 1}))
    done = run_here(capsys, "recordings", "verify")
    assert done.code == 1
    assert [line.split(":")[0] for line in done.out.splitlines()] == [str(path), "1 recording"]


@pytest.mark.slow
def test_recordings_that_verify_give_code_0(data: Path, capsys: Capture) -> None:
    path, packed = record(data, seed=1), compress(record(data, seed=2))
    unfinished = record(data, seed=3, turns=4)
    unfinished.write_bytes(unfinished.read_bytes()[:-9])
    done = run_here(capsys, "recordings", "verify")
    assert (done.code, done.err) == (0, "")
    assert f"{path}: verified, {look(path).turns} turns\n" in done.out
    assert f"{packed}: verified" in done.out
    assert f"{unfinished}: verified, 3 turns, unfinished; line 5 is incomplete" in done.out
    assert done.out.endswith("3 recordings: 3 verified\n")


def test_a_recording_that_does_not_verify_is_named_by_turn_and_field(
    data: Path, capsys: Capture
) -> None:
    record(data, seed=1)
    path = rewrite(record(data, seed=2), 6, lambda event: event["frame"].update(message="fine"))
    done = run_here(capsys, "recordings", "verify")
    assert done.code == 1
    assert f"{path}: edited: turn 4: frame.message: " in done.out
    assert done.out.endswith("2 recordings: 1 verified, 1 edited\n")
    done = run_here(capsys, "recordings", "verify", str(path), "--json")
    assert done.code == 1
    row = json.loads(done.out)
    assert (row["status"], row["turn"], row["field"]) == ("edited", 4, "frame.message")
    assert row["turns"] == 4


@pytest.mark.slow
def test_several_processes_say_the_same_as_one(data: Path, capsys: Capture) -> None:
    content = record(data).read_bytes()
    for number in range(20):
        (data / f"{number:02}.jsonl").write_bytes(content)
    alone = run_here(capsys, "recordings", "verify", "--jobs", "1")
    assert alone.code == 0
    assert run_here(capsys, "recordings", "verify", "--jobs", "2") == alone


def test_a_rating_and_a_comment_are_kept(data: Path, capsys: Capture) -> None:
    path = record(data)
    scales = [word for name in SCALES for word in (f"--{name}", "40")]
    done = run_here(capsys, "recordings", "rate", str(path), "--comment", "neat", *scales)
    assert (done.code, done.err) == (0, "")
    done = run_here(capsys, "recordings", "rate", str(path), "--quality", "4", "--json")
    said = json.loads(done.out)
    assert (said["quality"], said["comment"], said["workload"]["effort"]) == (4, "neat", 40)
    assert run_here(capsys, "recordings", "verify").code == 0


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("options", "cure"),
    [
        ((), "add --quality"),
        (("--mental", "5"), "add --physical, --temporal"),
        (("--mental", "101"), "0<=x<=100"),
        (("--quality", "6"), "1<=x<=5"),
        (("--comment", "x" * 2_001), "shorten it"),
    ],
)
def test_a_rating_that_makes_no_sense_is_a_wrong_use(
    options: tuple[str, ...], cure: str, data: Path, capsys: Capture
) -> None:
    path = record(data)
    before = path.read_bytes()
    done = run_here(capsys, "recordings", "rate", str(path), *options)
    assert done.code == 2
    assert is_one_line_with_a_cure(done.err)
    assert cure in done.err
    assert path.read_bytes() == before


def test_recordings_are_discarded_packed_and_removed(data: Path, capsys: Capture) -> None:
    path = record(data)
    assert run_here(capsys, "recordings", "discard", str(path)).out == f"discarded {path}\n"
    assert not look(path).opinion.submitted
    assert "(discarded)" in run_here(capsys, "recordings", "list").out
    assert run_here(capsys, "recordings", "compress", str(path)).code == 0
    (packed,) = data.iterdir()
    done = run_here(capsys, "recordings", "delete", str(packed), "--yes", "--json")
    assert json.loads(done.out) == [{"path": str(packed), "done": True, "problem": None}]
    assert list(data.iterdir()) == []


def test_what_cannot_be_done_to_one_file_is_done_to_the_others(data: Path, capsys: Capture) -> None:
    good, unfinished = record(data, seed=1), record(data, seed=2, turns=2)
    done = run_here(capsys, "recordings", "compress", str(unfinished), str(good))
    assert done.code == 1
    assert is_one_line_with_a_cure(done.err)
    assert unfinished.exists()
    assert not good.exists()


class Typed(io.StringIO):
    """A person at a terminal, who types this."""

    def isatty(self) -> bool:
        return True


REMOVALS = (
    ("delete", "FILE"),
    ("withdraw", PLAYER.pseudonym),
    ("consent", "--withdraw"),
)


@pytest.mark.few(1)
@pytest.mark.parametrize("words", REMOVALS, ids=" ".join)
@pytest.mark.parametrize("answer", ["", "n\n", "\n"])
def test_without_a_yes_nothing_is_removed(
    words: tuple[str, ...],
    answer: str,
    data: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = record(data, player=PLAYER)
    arguments = ["recordings", *(str(path) if word == "FILE" else word for word in words)]
    done = run_here(capsys, *arguments)
    assert done.code == 2
    assert is_one_line_with_a_cure(done.err)
    assert "--yes" in done.err
    monkeypatch.setattr(sys, "stdin", Typed(answer))
    assert run_here(capsys, *arguments).code == 130
    assert path.exists()


def test_with_a_yes_it_is_removed(
    data: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = record(data)
    monkeypatch.setattr(sys, "stdin", Typed("y\n"))
    assert run_here(capsys, "recordings", "delete", str(path)).code == 0
    assert not path.exists()


def test_a_withdrawal_says_what_it_removed(data: Path, capsys: Capture) -> None:
    other, theirs = record(data, seed=1), record(data, seed=2, player=PLAYER)
    done = run_here(capsys, "recordings", "withdraw", PLAYER.pseudonym, "--yes")
    assert (done.code, done.out) == (0, f"deleted {theirs}\n1 recording deleted\n")
    assert list(data.iterdir()) == [other]


def test_consent_is_given_shown_and_taken_back_with_the_recordings(
    data: Path, capsys: Capture
) -> None:
    before = run_here(capsys, "recordings", "consent")
    assert "[ ] actions" in before.out
    assert not ConsentStore().asked
    given = run_here(capsys, "recordings", "consent", "--give", "actions")
    assert "[x] actions" in given.out
    assert "[ ] free_text" in given.out
    agreement = ConsentStore().current
    assert agreement is not None
    theirs, other = record(data, seed=1, player=agreement.player), record(data, seed=2)
    done = run_here(capsys, "recordings", "consent", "--withdraw", "--yes", "--json")
    assert json.loads(done.out) == {"removed": [str(theirs)], "left": []}
    assert ConsentStore().current is None
    assert list(data.iterdir()) == [other]
    both = run_here(capsys, "recordings", "consent", "--give", "actions", "--withdraw")
    assert both.code == 2


def test_games_in_another_folder_are_named_and_not_exported_after_a_withdrawal(
    data: Path, tmp_path: Path, capsys: Capture
) -> None:
    run_here(capsys, "recordings", "consent", "--give", "actions")
    agreement = ConsentStore().current
    assert agreement is not None
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    record(elsewhere, player=agreement.player)
    words = ("recordings", "export", "--format", "sft", str(tmp_path / "set"), str(elsewhere))
    done = run_here(capsys, "recordings", "consent", "--withdraw", "--yes")
    assert f"chaosops recordings withdraw {agreement.pseudonym} DIR" in done.out
    refused = run_here(capsys, *words)
    assert refused.code == 1
    assert "1 recording whose player withdrew consent" in refused.err
    assert not (tmp_path / "set").exists()
    again = run_here(capsys, "recordings", "consent", "--give", "actions")
    assert agreement.pseudonym not in again.out


def test_people_are_set_beside_policies(data: Path, capsys: Capture) -> None:
    record(data)
    done = run_here(capsys, "recordings", "stats", "--policy", "noop", "--json")
    figures = json.loads(done.out)
    assert [row["player"] for row in figures["players"]] == ["people", "policy: noop"]
    done = run_here(capsys, "recordings", "stats", "--policy", "noop")
    assert (done.code, done.err) == (0, "")
    for words in ("Episodes by player", "Turns by role", "People's turns by verb", "Comparison"):
        assert words in done.out
    assert "█" in done.out
    assert "4.0 s" in done.out
    assert "latency ms" not in " ".join(done.out.split())


def test_stats_without_recordings_and_with_broken_ones(data: Path, capsys: Capture) -> None:
    assert run_here(capsys, "recordings", "stats").out == "no finished recordings\n"
    (data / "broken.jsonl").write_text("hello\n")
    done = run_here(capsys, "recordings", "stats")
    assert done.code == 1
    assert is_one_line_with_a_cure(done.err)
    assert "1 unreadable, not counted" in done.out
    done = run_here(capsys, "recordings", "stats", "--source", "human")
    assert done.code == 1
    assert "broken.jsonl" in done.err


def test_stats_say_what_they_do_not_count(data: Path, capsys: Capture) -> None:
    run_here(capsys, "recordings", "discard", str(record(data, seed=1)))
    (data / "copy.jsonl").write_bytes(record(data, seed=2).read_bytes())
    done = run_here(capsys, "recordings", "stats", "--policy", "noop")
    assert done.code == 0
    assert "1 discarded, not counted" in done.out
    assert "1 already counted, in another file" in done.out
    done = run_here(capsys, "recordings", "stats", "--discarded", "--policy", "noop", "--json")
    figures = json.loads(done.out)
    assert (figures["players"][0]["episodes"], figures["discarded"]) == (1, 0)


def test_the_description_of_the_format_is_printed(capsys: Capture) -> None:
    assert run_here(capsys, "recordings", "fields").out == page()


@pytest.mark.parametrize(
    "arguments",
    [
        ("recordings", "list", "gone.jsonl"),
        ("recordings", "list", "--recordings", "gone"),
        ("recordings", "show", "gone.jsonl"),
        ("recordings", "verify", "gone.jsonl"),
        ("recordings", "verify", "--jobs", "0"),
        ("recordings", "list", "--since", "yesterday"),
        ("recordings", "list", "--outcome", "won"),
        ("recordings", "list", "--role", "boss"),
        ("recordings", "stats", "--policy", "llama"),
        ("recordings", "discard"),
        ("recordings", "delete", "gone.jsonl"),
        ("recordings", "consent", "--give", "everything"),
        ("recordings", "lst"),
        ("resume", "gone.jsonl"),
    ],
    ids=" ".join,
)
def test_a_mistake_is_one_line_that_names_the_cure(
    arguments: tuple[str, ...], data: Path, capsys: Capture
) -> None:
    done = run_here(capsys, *arguments)
    assert done.code in (1, 2)
    assert done.out == ""
    assert is_one_line_with_a_cure(done.err), done.err


def test_days_are_those_of_the_local_clock() -> None:
    day, next_day = (Day().convert(text, None, None) for text in ("2026-01-31", "2026-02-01"))
    assert next_day - day == 24 * 60 * 60 * 1000
    assert Day().convert("2026-01-31T12:00", None, None) - day == 12 * 60 * 60 * 1000


@pytest.mark.parametrize(
    "command",
    ["list", "show", "verify", "stats", "rate", "discard", "compress", "delete", "consent",
     "withdraw", "fields"],
)  # fmt: skip
def test_every_command_has_help_with_an_example(command: str, capsys: Capture) -> None:
    done = run_here(capsys, "recordings", command, "--help")
    assert done.code == 0
    assert f"Example: chaosops recordings {command}" in done.out


@pytest.mark.slow
def test_a_terminal_gets_a_bar_that_leaves_nothing_behind(data: Path) -> None:
    for seed in (1, 2, 3):
        record(data, seed=seed)
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "chaosops", "recordings", "verify"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        env=os.environ | {"TERM": "xterm"},
    ) as process:
        os.close(theirs)
        assert process.stdout is not None
        out = process.stdout.read()
        # What is read may end within a character.
        shown = os.read(ours, 65_536).decode(errors="replace")
        assert process.wait(60) == 0
    os.close(ours)
    assert out.endswith("3 recordings: 3 verified\n")
    assert "verifying" in shown


def test_lists_and_proofs_import_no_screen(data: Path) -> None:
    record(data)
    for command in ("list", "verify", "consent"):
        probe = (
            "import sys\nfrom chaosops.cli.main import main\n"
            f"try:\n    main(['recordings', '{command}'])\n"
            "finally:\n    print(*sys.modules, file=sys.stderr)"
        )
        done = subprocess.run(
            [sys.executable, "-c", probe],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        loaded = {name.split(".")[0] for name in done.stderr.split()}
        assert not loaded & {"textual", "rich", "tui"}


@pytest.mark.few(1)
@pytest.mark.parametrize("command", ["list", "stats"])
def test_the_new_name_of_an_incident_is_told_once_for_all_its_games(
    data: Path, capsys: Capture, command: str
) -> None:
    current = scenario().id
    former = next(old for old, new in renamed_ids().items() if new == current)
    for seed in (1, 2):
        record(data, seed=seed, header_says={"scenario": former})
    done = run_here(capsys, "recordings", command, "--scenario", former)
    assert done.err.count(f"note: {former} is now called {current}\n") == 1
    assert current in done.out
    assert former not in done.out.replace(f"{former}-", "")
