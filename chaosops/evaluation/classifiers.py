"""Small classifiers in plain Python, and measures of their quality.

Each is fitted on some examples and tested on others. They are no stronger than what a player
could write on a page, on purpose: if one of them knows the answer, no skill is needed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import exp, log, sqrt
from statistics import fmean, pstdev
from typing import Generic, NamedTuple, TypeVar

Tokens = frozenset[str]
LabelT = TypeVar("LabelT", bound=Hashable)
_ItemT = TypeVar("_ItemT")


class NaiveBayes(Generic[LabelT]):
    """Names the likeliest label of a bag of words, by how many of its examples have each word."""

    def __init__(self, examples: Sequence[tuple[Tokens, LabelT]]) -> None:
        """Count the words of each label.

        Raises:
            ValueError: There are no examples.
        """
        if not examples:
            raise ValueError("a classifier needs at least one example")
        by_label: dict[LabelT, Counter[str]] = defaultdict(Counter)
        sizes: Counter[LabelT] = Counter()
        for tokens, label in examples:
            sizes[label] += 1
            by_label[label].update(tokens)
        self._labels: list[tuple[LabelT, float, dict[str, float]]] = []
        for label, size in sizes.items():
            absent = log(0.5 / (size + 1.0))
            gain = {
                word: log((count + 0.5) / (size + 1.0)) - absent
                for word, count in by_label[label].items()
            }
            self._labels.append((label, log(size), gain))
        self._floor = {label: log(0.5 / (size + 1.0)) for label, size in sizes.items()}
        self._vocabulary = {word for counts in by_label.values() for word in counts}

    def label(self, tokens: Tokens) -> LabelT:
        """Return the likeliest label; unknown words don't count."""
        known = sorted(tokens & self._vocabulary)
        return max(
            self._labels,
            key=lambda item: (
                item[1]
                + len(known) * self._floor[item[0]]
                + sum(item[2].get(word, 0.0) for word in known)
            ),
        )[0]


class Nearest(Generic[_ItemT]):
    """Finds the example that shares the rarest words: the largest cosine of weighted bags."""

    def __init__(self, examples: Sequence[tuple[Tokens, _ItemT]]) -> None:
        """Weight each word by how few examples have it.

        Raises:
            ValueError: There are no examples.
        """
        if not examples:
            raise ValueError("a classifier needs at least one example")
        self._items = [item for _tokens, item in examples]
        seen = Counter(word for tokens, _item in examples for word in tokens)
        self._weight = {word: log(1 + len(examples) / count) ** 2 for word, count in seen.items()}
        self._holders: dict[str, list[int]] = defaultdict(list)
        self._norms = []
        for i, (tokens, _item) in enumerate(examples):
            for word in tokens:
                self._holders[word].append(i)
            self._norms.append(sqrt(sum(self._weight[word] for word in sorted(tokens))) or 1.0)

    def find(self, tokens: Tokens) -> _ItemT:
        """Return what belongs to the nearest example; of equals, the first."""
        shared = [0.0] * len(self._items)
        for word in sorted(tokens):
            weight = self._weight.get(word)
            if weight is not None:
                for i in self._holders[word]:
                    shared[i] += weight
        best = max(range(len(shared)), key=lambda i: (shared[i] / self._norms[i], -i))
        return self._items[best]


class Logistic:
    """Logistic regression on named features, which are scaled; classes weigh the same."""

    def __init__(
        self,
        examples: Sequence[tuple[Mapping[str, float], bool]],
        *,
        rounds: int = 300,
        rate: float = 0.5,
        shrink: float = 0.01,
    ) -> None:
        """Fit by plain gradient descent.

        Args:
            rounds: Steps over all examples.
            rate: The learning rate.
            shrink: The weight of the L2 penalty.

        Raises:
            ValueError: There are no examples of one of the two classes.
        """
        yes = sum(label for _features, label in examples)
        if not 0 < yes < len(examples):
            raise ValueError("a regression needs examples of both classes")
        self._names = sorted({name for features, _label in examples for name in features})
        columns = [[f.get(name, 0.0) for f, _label in examples] for name in self._names]
        self._means = [fmean(column) for column in columns]
        self._scales = [pstdev(column) or 1.0 for column in columns]
        rows = [(self._scaled(features), float(label)) for features, label in examples]
        share = {1.0: 0.5 / yes, 0.0: 0.5 / (len(examples) - yes)}
        self._weights = [0.0] * len(self._names)
        self._bias = 0.0
        for _round in range(rounds):
            slope = [shrink * weight for weight in self._weights]
            lift = 0.0
            for row, label in rows:
                miss = (self._squash(row) - label) * share[label]
                lift += miss
                for i, value in enumerate(row):
                    if value:
                        slope[i] += miss * value
            self._bias -= rate * lift
            self._weights = [w - rate * s for w, s in zip(self._weights, slope, strict=True)]

    def score(self, features: Mapping[str, float]) -> float:
        """Return the probability, for equally frequent classes."""
        return self._squash(self._scaled(features))

    def _scaled(self, features: Mapping[str, float]) -> list[float]:
        return [
            (features.get(name, 0.0) - mean) / scale
            for name, mean, scale in zip(self._names, self._means, self._scales, strict=True)
        ]

    def _squash(self, row: Sequence[float]) -> float:
        total = self._bias + sum(w * v for w, v in zip(self._weights, row, strict=True))
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, total))))


class Threshold(NamedTuple):
    """One number against one threshold.

    Attributes:
        above: Whether values at or above it mean yes; otherwise values below it do.
    """

    feature: str
    at: float
    above: bool

    def says(self, features: Mapping[str, float]) -> bool:
        """Whether the rule says yes."""
        return (features[self.feature] >= self.at) is self.above


def best_threshold(examples: Sequence[tuple[Mapping[str, float], bool]]) -> Threshold:
    """Return the rule with the best balanced accuracy on the examples; of equals, the first one.

    Raises:
        ValueError: There are no examples.
    """
    rules: list[tuple[float, Threshold]] = []
    for name in sorted(examples[0][0]) if examples else ():
        values = sorted({features[name] for features, _label in examples})
        for low, high in pairwise(values):
            for above in (True, False):
                rule = Threshold(name, (low + high) / 2.0, above)
                answers = [(rule.says(features), label) for features, label in examples]
                rules.append((balanced_accuracy(answers), rule))
    if not rules:
        raise ValueError("a threshold needs examples that differ")
    return max(rules, key=lambda item: item[0])[1]


def balanced_accuracy(answers: Iterable[tuple[bool, bool]]) -> float:
    """Return the mean share of right answers over the two classes; of one class alone, its share.

    Args:
        answers: Pairs of answer and truth.
    """
    right: dict[bool, list[bool]] = {}
    for said, so in answers:
        right.setdefault(so, []).append(said is so)
    return fmean(fmean(group) for group in right.values()) if right else 0.0


def area_under_curve(scores: Iterable[tuple[float, bool]]) -> float | None:
    """Return how often a positive scores higher than a negative; ties count half.

    None if one of the classes is empty.
    """
    kept = list(scores)
    yes = [score for score, so in kept if so]
    no = [score for score, so in kept if not so]
    if not yes or not no:
        return None
    won = sum((a > b) + 0.5 * (a == b) for a in yes for b in no)
    return won / (len(yes) * len(no))


def halves(groups: Mapping[str, Hashable]) -> tuple[frozenset[str], frozenset[str]]:
    """Split names into two halves, each with half of the names of each class.

    Args:
        groups: The class of each name. Names are dealt in sorted order, so the halves don't
            depend on their order here.
    """
    first: set[str] = set()
    second: set[str] = set()
    by_class: dict[Hashable, list[str]] = defaultdict(list)
    for name in sorted(groups):
        by_class[groups[name]].append(name)
    for names in by_class.values():
        for name in names:
            smaller, larger = sorted((first, second), key=len)
            mine = [sum(n in half for n in names) for half in (smaller, larger)]
            (smaller if mine[0] <= mine[1] else larger).add(name)
    return frozenset(first), frozenset(second)
