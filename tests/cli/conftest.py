"""Leaves out the tests of libraries that are not installed."""

from importlib.util import find_spec

collect_ignore = [] if find_spec("pyarrow") else ["test_baseline_parquet.py"]
