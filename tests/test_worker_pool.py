"""Work in several processes: in order, in little memory, and with nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaosops.errors import ChaosOpsError
from chaosops.worker_pool import WorkerPool, spread
from chaosops.worker_process import WorkerError


def squared(number: int) -> int:
    return number * number


def slow_at_first(number: int) -> int:
    if number == 0:
        time.sleep(0.5)
    return os.getpid() if number == 0 else number


def dies_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def exits_at_three(number: int) -> int:
    if number == 3:
        sys.exit(7)
    return number


class DiesOnce:
    """Dies at the first item, and leaves a file so that it doesn't again."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __call__(self, number: int) -> int:
        with (self.mark.with_name(f"done-{number}")).open("a") as tally:
            tally.write("x")
        if number == 5 and not self.mark.exists():
            self.mark.touch()
            os._exit(9)
        return number


def raises_at_three(number: int) -> int:
    if number == 3:
        raise ChaosOpsError("three is not possible: use another number")
    return number


class TwoPartError(Exception):
    """Can't be unpickled, as so many exceptions of libraries."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def raises_what_cannot_be_sent(number: int) -> int:
    raise TwoPartError(number, 2)


def makes_what_cannot_be_sent(number: int) -> object:
    return lambda: number


def sleeps(number: int) -> int:
    time.sleep(60)
    return number


class Counting:
    """Counts how many items it has worked on in its process."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, _number: int) -> tuple[int, int]:
        self.count += 1
        return os.getpid(), self.count


@pytest.mark.slow
def test_results_come_in_the_order_of_the_items() -> None:
    assert list(spread(squared, range(200), 3)) == [n * n for n in range(200)]
    first, *others = spread(slow_at_first, range(40), 2)
    assert first != os.getpid()
    assert others == list(range(1, 40))


@pytest.mark.parametrize("items", [[], [4]], ids=["no item", "one item"])
def test_what_is_not_worth_a_process_happens_here(items: list[int]) -> None:
    pool = WorkerPool(2)
    assert list(pool.spread(lambda n: n + os.getpid(), items)) == [n + os.getpid() for n in items]


def test_one_process_is_this_one() -> None:
    assert list(spread(lambda n: n + 1, range(3), 1)) == [1, 2, 3]


def test_processes_stay_for_the_next_items_and_end_with_the_pool() -> None:
    with WorkerPool(2) as pool:
        first = {pid for pid, _count in pool.spread(Counting(), range(20))}
        again = list(pool.spread(Counting(), range(20)))
        assert {pid for pid, _count in again} <= first
        assert sum(count == 1 for _pid, count in again) <= 2
        assert list(pool.spread(squared, range(5))) == [0, 1, 4, 9, 16]
    assert not any(is_alive(pid) for pid in first)


def test_items_are_read_as_they_are_needed() -> None:
    read: list[int] = []

    def endless() -> Iterator[int]:
        number = 0
        while True:
            read.append(number)
            yield number
            number += 1

    results = spread(squared, endless(), 2)
    assert [next(results) for _ in range(50)] == [n * n for n in range(50)]
    results.close()  # type: ignore[attr-defined]
    assert len(read) < 50 + 2 * 4 * 32 + 2 * 32


def test_an_item_whose_process_dies_is_tried_again(tmp_path: Path) -> None:
    mark = tmp_path / "died"
    assert list(spread(DiesOnce(mark), range(30), 2)) == list(range(30))
    tries = {path.name: path.read_text() for path in tmp_path.glob("done-*")}
    assert tries.pop("done-5") == "xx"
    assert set(tries.values()) == {"x"}


@pytest.mark.few(1)
@pytest.mark.parametrize("function", [dies_at_three, exits_at_three])
def test_an_item_that_kills_its_processes_is_lost_alone(function: object) -> None:
    def lost(number: int, how: str) -> object:
        return f"{number} {how}"

    found = list(spread(function, range(12), 2, lost=lost))  # type: ignore[arg-type]
    how = "was killed by SIGKILL" if function is dies_at_three else "ended with exit code 7"
    assert found == [f"3 {how}" if n == 3 else n for n in range(12)]


def test_without_another_way_a_dead_process_is_an_error_with_a_cure() -> None:
    with pytest.raises(WorkerError, match=r"killed by SIGKILL.*--jobs 1"):
        list(spread(dies_at_three, range(12), 2))


def test_what_a_function_raises_is_raised_at_its_item() -> None:
    results = spread(raises_at_three, range(12), 2)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ChaosOpsError, match="use another number") as caught:
        next(results)
    assert "raises_at_three" in caught.value.__notes__[0]


def test_an_exception_that_cannot_be_sent_is_told_by_its_text() -> None:
    with pytest.raises(ChaosOpsError, match="TwoPartError: 0 and 2"):
        list(spread(raises_what_cannot_be_sent, range(3), 2))


def test_what_cannot_be_sent_is_an_error_with_a_cure() -> None:
    with pytest.raises(WorkerError, match=r"top level of a module.*--jobs 1"):
        list(spread(lambda n: n, range(3), 2))
    with pytest.raises(WorkerError, match=r"top level of a module.*--jobs 1"):
        list(spread(squared, [lambda: 1, lambda: 2], 2))  # type: ignore[arg-type]
    with pytest.raises(WorkerError, match="a result cannot be sent"):
        list(spread(makes_what_cannot_be_sent, range(3), 2))


def test_fewer_than_one_process_is_an_error() -> None:
    with pytest.raises(ValueError, match="jobs must be 1 or more, not 0"):
        spread(squared, range(3), 0)


def test_an_iterator_that_is_dropped_ends_its_processes() -> None:
    pool = WorkerPool(2)
    results = pool.spread(Counting(), range(100_000))
    pid, _count = next(results)
    results.close()  # type: ignore[attr-defined]
    assert not is_alive(pid)


_SCRIPT = """
from chaosops.worker_pool import spread
def double(number):
    return 2 * number
{guard}
    print(list(spread(double, range(4), 2)))
"""


def script(folder: Path, guard: str) -> subprocess.CompletedProcess[str]:
    path = folder / "script.py"
    path.write_text(_SCRIPT.format(guard=guard), "utf-8")
    return subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, timeout=60, check=False
    )


def test_a_script_may_define_what_its_processes_do(tmp_path: Path) -> None:
    assert script(tmp_path, "if __name__ == '__main__':").stdout == "[0, 2, 4, 6]\n"


def test_a_script_without_a_guard_ends_with_the_cure(tmp_path: Path) -> None:
    done = script(tmp_path, "if True:")
    assert done.returncode == 1
    assert done.stdout == ""
    last = done.stderr.rstrip().splitlines()[-1]
    assert "keep the call under if __name__ == '__main__'" in last


def test_a_process_that_cannot_be_started_is_an_error_with_a_cure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Full:
        def __call__(self, *_arguments: object) -> int:
            raise OSError("no more processes")

    monkeypatch.setattr("multiprocessing.util.spawnv_passfds", Full())
    with pytest.raises(WorkerError, match=r"cannot be started \(no more processes\).*--jobs 1"):
        list(spread(squared, range(4), 2))


_SLEEPERS = """
import os, sys
from chaosops.worker_pool import spread
from tests.test_worker_pool import reports_and_sleeps
if __name__ == "__main__":
    try:
        list(spread(reports_and_sleeps, [sys.argv[1]] * 2, 2))
    except KeyboardInterrupt:
        sys.exit(130)
"""


def reports_and_sleeps(folder: str) -> None:
    try:
        Path(folder, f"{os.getpid()}.started").touch()
        time.sleep(60)
    finally:
        Path(folder, f"{os.getpid()}.closed").touch()


@pytest.mark.few(1)
@pytest.mark.parametrize("whom", ["group", "parent", "killed"])
def test_an_interrupt_or_the_death_of_the_parent_leaves_no_process(
    tmp_path: Path, whom: str
) -> None:
    path = tmp_path / "sleepers.py"
    path.write_text(_SLEEPERS, "utf-8")
    root = Path(__file__).resolve().parent.parent
    with subprocess.Popen(
        [sys.executable, str(path), str(tmp_path)],
        start_new_session=True,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
    ) as parent:
        until = time.monotonic() + 60
        while len(list(tmp_path.glob("*.started"))) < 2 and time.monotonic() < until:
            time.sleep(0.02)
        workers = [int(path.stem) for path in tmp_path.glob("*.started")]
        assert len(workers) == 2
        if whom == "group":
            os.killpg(parent.pid, signal.SIGINT)
        else:
            parent.send_signal(signal.SIGINT if whom == "parent" else signal.SIGKILL)
        code = parent.wait(timeout=30)
        assert code == (-signal.SIGKILL if whom == "killed" else 130)
        while any(is_alive(pid) for pid in workers) and time.monotonic() < until:
            time.sleep(0.02)
        assert not any(is_alive(pid) for pid in workers)
        assert {int(path.stem) for path in tmp_path.glob("*.closed")} == set(workers)
        assert parent.stderr is not None
        assert b"Traceback" not in parent.stderr.read()


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"
