"""Leaves out the tests of libraries that are not installed: each comes with an extra."""

from importlib.util import find_spec

_NEEDS = {
    "test_parquet.py": ("pyarrow",),
    "test_loading.py": ("datasets",),
    "test_trainers.py": ("trl", "torch", "transformers", "tokenizers", "datasets"),
}

collect_ignore = [
    name for name, needed in _NEEDS.items() if not all(find_spec(module) for module in needed)
]
