"""How long the whole built-in set takes to load."""

from __future__ import annotations

import json
import subprocess
import sys

MOST_SECONDS = 2.0

_LOAD = """
import json, time
begun = time.process_time()
from chaosops.scenarios.cause_files import read_cause
from chaosops.scenarios.folders import cause_files
from chaosops.scenarios.loader import find_scenarios
files = cause_files(())
causes = [read_cause(path, files).cause for path in files.values()]
incidents = [source.render(seed=7) for source in find_scenarios()]
print(json.dumps([len(causes), len(incidents), time.process_time() - begun]))
"""


def test_all_causes_and_incidents_are_read_and_rendered_in_two_seconds() -> None:
    command = [sys.executable, "-c", _LOAD]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    causes, incidents, seconds = json.loads(done.stdout)
    assert causes >= 62
    assert incidents >= 31
    assert seconds < MOST_SECONDS
