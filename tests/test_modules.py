"""The shape of the modules: no circles among them, and none that grows too long."""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import chaosops

ROOT = Path(chaosops.__file__).resolve().parent.parent
MOST_LINES = 450
MOST_METHODS = 30


@cache
def modules() -> dict[str, Path]:
    found = {}
    for package in ("chaosops", "tui"):
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


@cache
def tree(name: str) -> ast.Module:
    return ast.parse(modules()[name].read_text("utf-8"))


def imports(name: str) -> Iterator[str]:
    """The modules that one imports, anywhere in it; imports for the type checker aside."""
    waiting: list[ast.AST] = [tree(name)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules() else node.module
        waiting += ast.iter_child_nodes(node)


def circles() -> set[frozenset[str]]:
    """The strongly connected sets of modules of more than one."""
    edges = {name: {other for other in imports(name) if other in modules()} for name in modules()}

    def reach(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = list(edges[start])
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += edges[name]
        return seen

    reached = {name: reach(name) for name in edges}
    return {
        frozenset(other for other in reached[name] if name in reached[other])
        for name in edges
        if name in reached[name]
    }


def test_no_modules_import_each_other_not_even_within_functions() -> None:
    assert not circles()


def test_screens_open_each_other_through_the_router_alone() -> None:
    makers = {"tui.screens.factory", "tui.entry_points", "tui.fixtures"}
    screens = {
        name
        for name in imports("tui.screens.factory")
        if name.startswith("tui.screens.") and ".dialogs." not in name
    }
    assert len(screens) > 5
    assert not {
        (name, other)
        for name in modules().keys() - makers
        for other in imports(name)
        if other in screens
    }


def test_no_module_is_long() -> None:
    long = {
        name
        for name, path in modules().items()
        if len(path.read_text("utf-8").splitlines()) > MOST_LINES
    }
    assert not long


def test_no_class_has_many_methods() -> None:
    many = {
        f"{name}.{node.name}"
        for name in modules()
        for node in ast.walk(tree(name))
        if isinstance(node, ast.ClassDef)
        and sum(isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) for part in node.body)
        > MOST_METHODS
    }
    assert not many


def test_no_two_classes_have_the_same_name() -> None:
    counts = Counter(
        node.name
        for name in modules()
        for node in ast.walk(tree(name))
        if isinstance(node, ast.ClassDef)
    )
    assert not {name for name, count in counts.items() if count > 1}
