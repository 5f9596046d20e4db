"""Naive versions of every measure, item by item from the definition, without shared code."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import scipy.stats

Labels = Sequence[object]
Sides = Sequence[dict[object, float]]
"""What sets each item is in, and to what degree."""


def entropy(labels: Labels) -> float:
    n = len(labels)
    return -sum(c / n * math.log(c / n) for c in Counter(labels).values())


def conditional(labels: Labels, given: Labels) -> float:
    n = len(labels)
    sizes, cells = Counter(given), Counter(zip(labels, given, strict=True))
    return -sum(c / n * math.log(c / sizes[key[1]]) for key, c in cells.items())


def mutual(gold: Labels, system: Labels) -> float:
    n = len(gold)
    a, b, cells = Counter(gold), Counter(system), Counter(zip(gold, system, strict=True))
    return sum(x / n * math.log(n * x / (a[c] * b[k])) for (c, k), x in cells.items())


def homogeneity(gold: Labels, system: Labels) -> float:
    return 1.0 if len(set(gold)) == 1 else 1 - conditional(gold, system) / entropy(gold)


def completeness(gold: Labels, system: Labels) -> float:
    return homogeneity(system, gold)


def v(gold: Labels, system: Labels, beta: float = 1.0) -> float:
    h, c = homogeneity(gold, system), completeness(gold, system)
    return (1 + beta) * h * c / (beta * h + c) if abs(h) > 1e-12 and abs(c) > 1e-12 else 0.0


def vi(gold: Labels, system: Labels) -> float:
    return conditional(gold, system) + conditional(system, gold)


def nvi(gold: Labels, system: Labels) -> float:
    return vi(gold, system) / entropy(gold) if len(set(gold)) > 1 else entropy(system)


def vi_logn(gold: Labels, system: Labels) -> float:
    return vi(gold, system) / math.log(len(gold)) if len(gold) > 1 else 0.0


def nmi(gold: Labels, system: Labels, mean: Callable[[float, float], float]) -> float:
    if len(set(gold)) == 1 and len(set(system)) == 1:
        return 1.0
    scale = mean(entropy(gold), entropy(system))
    return mutual(gold, system) / scale if scale > 0 else 0.0


def zk_entropy(gold: Labels, system: Labels) -> float:
    q = len(set(gold))
    return conditional(gold, system) / math.log(q) if q > 1 else 0.0


def coding_cost(sizes: Counter[object], classes: int, n: int) -> float:
    return sum(math.log(math.comb(h + classes - 1, classes - 1)) for h in sizes.values()) / n


def q0(gold: Labels, system: Labels) -> float:
    cost = coding_cost(Counter(system), len(set(gold)), len(gold))
    return conditional(gold, system) + cost


def q2(gold: Labels, system: Labels) -> float:
    if len(set(gold)) == 1:
        return 1.0
    return coding_cost(Counter(gold), len(set(gold)), len(gold)) / q0(gold, system)


def expected_mutual(gold: Labels, system: Labels) -> float:
    """Averaged over every permutation's cell distribution, with exact binomials."""
    n, total = len(gold), 0.0
    for a in Counter(gold).values():
        for b in Counter(system).values():
            for x in range(max(1, a + b - n), min(a, b) + 1):
                p = Fraction(math.comb(a, x) * math.comb(n - a, b - x), math.comb(n, b))
                total += float(p) * x / n * math.log(n * x / (a * b))
    return total


def ami(gold: Labels, system: Labels, mean: Callable[[float, float], float]) -> float:
    if len(set(gold)) == len(set(system)) == len(set(zip(gold, system, strict=True))):
        return 1.0
    n = len(gold)
    if {len(set(gold)), len(set(system))} & {1, n}:
        return 0.0
    chance = expected_mutual(gold, system)
    return (mutual(gold, system) - chance) / (mean(entropy(gold), entropy(system)) - chance)


def labellings(gold: Labels, system: Labels) -> float:
    """log N!·Πn_ij!/(Πa_i!·Πb_j!)."""
    fits = math.factorial(len(gold))
    for size in (*Counter(gold).values(), *Counter(system).values()):
        fits = Fraction(fits, math.factorial(size))
    for count in Counter(zip(gold, system, strict=True)).values():
        fits *= math.factorial(count)
    return math.log(fits)


def ways(n: int, alpha: float) -> float:
    """Γ(n+α)/(Γ(α)·n!), a factor at a time, as a logarithm."""
    return sum(math.log((alpha + i) / (i + 1)) for i in range(n))


def flat_rmi(gold: Labels, system: Labels) -> float:
    """Tables counted by the estimate of Jerdee, Kirkley & Newman 2022, classes as rows."""
    n, rows, columns = len(gold), Counter(gold).values(), Counter(system).values()
    m, squares = len(rows), sum(c * c for c in columns)
    if squares == n:
        tables = math.lgamma(n + 1) - sum(math.lgamma(r + 1) for r in rows)
    else:
        alpha = (n * n - n + (n * n - squares) / m) / (squares - n)
        tables = sum(ways(r, alpha) for r in rows) + sum(ways(c, m) for c in columns)
        tables -= ways(n, m * alpha)
    return (labellings(gold, system) - tables) / n


def dirichlet_rmi(gold: Labels, system: Labels) -> float:
    """The best of many concentrations."""
    q, n = len(set(gold)), len(gold)
    cells = Counter(zip(gold, system, strict=True)).values()
    tried = [10 ** (-4 + i / 250) for i in range(2001)]
    sizes = min(ways(n, q * t) - sum(ways(a, t) for a in Counter(gold).values()) for t in tried)
    table = min(
        sum(ways(b, q * t) for b in Counter(system).values()) - sum(ways(x, t) for x in cells)
        for t in tried
    )
    return (labellings(gold, system) + sizes - table) / n


def vi_2logk(gold: Labels, system: Labels) -> float:
    most = max(len(set(gold)), len(set(system)))
    return vi(gold, system) / (2 * math.log(most)) if most > 1 else 0.0


def correlation_distance(gold: Labels, system: Labels) -> float | None:
    if contingent(gold, system):
        return 0.0
    found = gamma(gold, system)
    return None if found is None else math.acos(max(-1.0, min(1.0, found))) / math.pi


def contingent(gold: Labels, system: Labels) -> bool:
    """The same pairs are together."""
    _, n10, n01, _ = pair_counts(gold, system)
    return not n10 and not n01


def sokal_sneath(gold: Labels, system: Labels) -> float | None:
    n11, n10, n01, n00 = pair_counts(gold, system)
    if contingent(gold, system):
        return 1.0
    sides = (n11, n11 + n10), (n11, n11 + n01), (n00, n00 + n10), (n00, n00 + n01)
    if any(not below for _, below in sides):
        return None
    return sum(above / below for above, below in sides) / 4


def pair_counts(gold: Labels, system: Labels) -> tuple[int, int, int, int]:
    """Together in both, in gold only, in system only, in neither: by looking at each pair."""
    n11 = n10 = n01 = n00 = 0
    for i, j in itertools.combinations(range(len(gold)), 2):
        same_gold, same_system = gold[i] == gold[j], system[i] == system[j]
        n11 += same_gold and same_system
        n10 += same_gold and not same_system
        n01 += same_system and not same_gold
        n00 += not same_gold and not same_system
    return n11, n10, n01, n00


def rand(gold: Labels, system: Labels) -> float:
    n11, n10, n01, n00 = pair_counts(gold, system)
    total = n11 + n10 + n01 + n00
    return (n11 + n00) / total if total else 1.0


def ari(gold: Labels, system: Labels) -> float:
    n11, n10, n01, n00 = pair_counts(gold, system)
    if n10 == n01 == 0:
        return 1.0
    top = 2 * (n11 * n00 - n10 * n01)
    return top / ((n11 + n10) * (n10 + n00) + (n11 + n01) * (n01 + n00))


def gamma(gold: Labels, system: Labels) -> float | None:
    n11, n10, n01, n00 = pair_counts(gold, system)
    sides = (n11 + n10, n01 + n00, n11 + n01, n10 + n00)
    if 0 in sides:
        return None
    return (n11 * n00 - n10 * n01) / math.sqrt(math.prod(sides))


def jaccard(gold: Labels, system: Labels) -> float:
    n11, n10, n01, _ = pair_counts(gold, system)
    return n11 / (n11 + n10 + n01) if n11 + n10 + n01 else 1.0


def paired_precision(gold: Labels, system: Labels) -> float:
    n11, _, n01, _ = pair_counts(gold, system)
    return n11 / (n11 + n01) if n11 + n01 else 1.0


def paired_recall(gold: Labels, system: Labels) -> float:
    return paired_precision(system, gold)


def f1(p: float, r: float) -> float:
    return 2 * p * r / (p + r) if p + r else 0.0


def fm(gold: Labels, system: Labels) -> float:
    n11, n10, n01, _ = pair_counts(gold, system)
    if n10 == n01 == 0:
        return 1.0
    return n11 / math.sqrt((n11 + n10) * (n11 + n01)) if n11 else 0.0


def mirkin(gold: Labels, system: Labels) -> float:
    _, n10, n01, _ = pair_counts(gold, system)
    return 2 * (n10 + n01)


def purity(gold: Labels, system: Labels) -> float:
    right = 0
    for cluster in set(system):
        classes = Counter(g for g, s in zip(gold, system, strict=True) if s == cluster)
        right += max(classes.values())
    return right / len(gold)


def inverse_purity(gold: Labels, system: Labels) -> float:
    return purity(system, gold)


def van_dongen(gold: Labels, system: Labels) -> float:
    return 1 - (purity(gold, system) + inverse_purity(gold, system)) / 2


def best_f(gold: Labels, system: Labels) -> dict[object, float]:
    a, b, cells = Counter(gold), Counter(system), Counter(zip(gold, system, strict=True))
    return {c: max(f1(cells[c, k] / b[k], cells[c, k] / a[c]) for k in b) for c in a}


def clustering_f(gold: Labels, system: Labels) -> float:
    a = Counter(gold)
    return sum(a[c] / len(gold) * f for c, f in best_f(gold, system).items())


def larsen(gold: Labels, system: Labels) -> float:
    best = best_f(gold, system)
    return sum(best.values()) / len(best)


def best_assignment(gold: Labels, system: Labels, worth: Callable[[int, int, int], float]) -> float:
    """By trying every injective map of the smaller side into the larger."""
    a, b, cells = Counter(gold), Counter(system), Counter(zip(gold, system, strict=True))
    rows, columns = list(a), list(b)
    if len(rows) <= len(columns):
        tried = itertools.permutations(columns, len(rows))
        maps = (zip(rows, chosen, strict=True) for chosen in tried)
    else:
        tried = itertools.permutations(rows, len(columns))
        maps = (zip(chosen, columns, strict=True) for chosen in tried)
    return max(sum(worth(cells[c, k], a[c], b[k]) for c, k in pairs) for pairs in maps)


def one_to_one(gold: Labels, system: Labels) -> float:
    return best_assignment(gold, system, lambda x, a, b: x) / len(gold)


def dice(gold: Labels, system: Labels) -> float:
    return best_assignment(gold, system, lambda x, a, b: 2 * x / (a + b))


def ceaf_e(gold: Labels, system: Labels) -> float:
    total = dice(gold, system)
    return f1(total / len(set(system)), total / len(set(gold)))


def nca(gold: Labels, system: Labels) -> float:
    most = max(len(set(gold)), len(set(system)))
    shares = best_assignment(gold, system, lambda x, a, b: x / a)
    return (shares - 1) / (most - 1) if most > 1 else 1.0


def psi(gold: Labels, system: Labels) -> float:
    a, b = (sorted(Counter(side).values(), reverse=True) for side in (gold, system))
    most = max(len(a), len(b))
    chance = sum(x * y / max(x, y) for x, y in zip(a, b, strict=False)) / len(gold)
    found = best_assignment(gold, system, lambda x, a, b: x / max(a, b))
    return (found - chance) / (most - chance) if most > 1 else 1.0


def greedy(gold: Labels, system: Labels) -> float:
    cells = Counter(zip(gold, system, strict=True))
    right = 0
    while cells:
        (c, k), x = max(cells.items(), key=lambda cell: cell[1])
        right += x
        cells = Counter({key: n for key, n in cells.items() if key[0] != c and key[1] != k})
    return right / len(gold)


def b3_precision(gold: Labels, system: Labels) -> float:
    total = 0.0
    for g, s in zip(gold, system, strict=True):
        cluster = [other for other, k in zip(gold, system, strict=True) if k == s]
        total += sum(other == g for other in cluster) / len(cluster)
    return total / len(gold)


def b3_recall(gold: Labels, system: Labels) -> float:
    return b3_precision(system, gold)


def exact_sets(gold: Labels, system: Labels) -> int:
    """The number of sets of items that are both a class and a cluster."""

    def sets(labels: Labels) -> set[frozenset[int]]:
        return {frozenset(i for i, x in enumerate(labels) if x == name) for name in set(labels)}

    return len(sets(gold) & sets(system))


def muc_recall(gold: Labels, system: Labels) -> float:
    """Links that are missing between the parts of each class, of those that would make it whole."""
    found = wanted = 0
    for c in set(gold):
        members = [s for g, s in zip(gold, system, strict=True) if g == c]
        found += len(members) - len(set(members))
        wanted += len(members) - 1
    return found / wanted if wanted else 0.0


def lea_recall(gold: Labels, system: Labels) -> float:
    total = 0.0
    for c in set(gold):
        members = [i for i, g in enumerate(gold) if g == c]
        pairs = list(itertools.combinations(members, 2))
        if pairs:
            resolved = sum(system[i] == system[j] for i, j in pairs) / len(pairs)
        else:
            resolved = float(system.count(system[members[0]]) == 1)
        total += len(members) * resolved
    return total / len(gold)


def blanc(gold: Labels, system: Labels, of: Callable[[float, float], float]) -> float:
    """`of` makes one score of precision and recall."""
    n11, n10, n01, n00 = pair_counts(gold, system)
    linked = of(n11 / max(n11 + n01, 1), n11 / max(n11 + n10, 1))
    apart = of(n00 / max(n00 + n10, 1), n00 / max(n00 + n01, 1))
    if len(gold) == 1:
        return 1.0
    if not n11 + n10:
        return apart
    return (linked + apart) / 2 if n00 + n01 else linked


def conll(gold: Labels, system: Labels) -> float:
    muc = f1(muc_recall(system, gold), muc_recall(gold, system))
    b3 = f1(b3_precision(gold, system), b3_recall(gold, system))
    return (muc + b3 + ceaf_e(gold, system)) / 3


def walks(side: Sides, alpha: float) -> np.ndarray:
    """Where walks from each item (row) are found: Σ (1 − alpha) · alpha^k · step^k."""
    mass = Counter()
    for sets in side:
        mass.update(sets)
    step = np.array(
        [[sum(a[x] / sum(a.values()) * b.get(x, 0) / mass[x] for x in a) for b in side]
         for a in side]
    )  # fmt: skip
    return (1 - alpha) * np.linalg.inv(np.eye(len(side)) - alpha * step)


def element_centric(gold: Sides, system: Sides, alpha: float = 0.9) -> float:
    apart = np.abs(walks(gold, alpha) - walks(system, alpha)).sum() / (2 * alpha)
    return 1 - apart / len(gold)


def memberships(parent: Sequence[int], at: Sequence[int], r: float) -> Sides:
    """Items at nodes of a tree as members of all nodes above, by exp(r · level)."""
    paths = []
    for node in range(len(parent)):
        paths.append([node])
        while parent[paths[-1][-1]] >= 0:
            paths[-1].append(parent[paths[-1][-1]])
    level = []
    for node, path in enumerate(paths):
        longest = max(len(other) for other in paths if node in other) - 1
        level.append((len(path) - 1) / longest if longest else 0.0)
    return [{node: math.exp(r * level[node]) for node in paths[leaf]} for leaf in at]


def share(one: dict[object, float], other: dict[object, float]) -> int:
    return len(one.keys() & other.keys())


def xb3_precision(gold: Sides, system: Sides) -> float:
    """For each item, the mean over items that share a cluster of min(shared)/shared clusters."""
    total = 0.0
    for i in range(len(gold)):
        near = [j for j in range(len(gold)) if share(system[i], system[j])]
        shared = [(share(gold[i], gold[j]), share(system[i], system[j])) for j in near]
        total += sum(min(pair) / pair[1] for pair in shared) / len(near)
    return total / len(gold)


def omega(gold: Sides, system: Sides) -> float:
    pairs = list(itertools.combinations(range(len(gold)), 2))
    counts = [[share(side[i], side[j]) for i, j in pairs] for side in (gold, system)]
    alike = sum(a == b for a, b in zip(*counts, strict=True))
    if alike == len(pairs):
        return 1.0
    one, other = map(Counter, counts)
    chance = Fraction(sum(one[j] * other[j] for j in one), len(pairs) ** 2)
    return float((Fraction(alike, len(pairs)) - chance) / (1 - chance))


def gather_sets(side: Sides) -> list[set[int]]:
    labels = sorted({label for sets in side for label in sets}, key=str)
    return [{i for i, sets in enumerate(side) if label in sets} for label in labels]


def h(count: int, n: int) -> float:
    return -count / n * math.log(count / n) if count else 0.0


def known_of(one: set[int], others: list[set[int]], n: int, strict: bool) -> float:
    """H of a set given the best of the others that say something of it."""
    best = h(len(one), n) + h(n - len(one), n)
    for other in others:
        a, b, c, d = n - len(one | other), len(other - one), len(one - other), len(one & other)
        gain = h(a, n) + h(d, n) - h(b, n) - h(c, n)
        if gain > 1e-12 or (gain > -1e-12 and not strict):
            rest = h(a, n) + h(b, n) + h(c, n) + h(d, n) - h(b + d, n) - h(a + c, n)
            best = min(best, rest)
    return best


def onmi(gold: Sides, system: Sides, norm: str = "max") -> float:
    n, one, other = len(gold), gather_sets(gold), gather_sets(system)
    total: list[float] = []
    left: list[float] = []
    shares: list[float] = []
    for sets, others in ((one, other), (other, one)):
        entropies = [h(len(x), n) + h(n - len(x), n) for x in sets]
        rest = [known_of(x, others, n, norm == "lfk") for x in sets]
        total.append(sum(entropies))
        left.append(sum(rest))
        whole = any(len(x) == n for x in others)
        parts = [r / e if e else float(not whole) for r, e in zip(rest, entropies, strict=True)]
        shares.append(sum(parts) / len(parts))
    if norm == "lfk":
        return 1 - sum(shares) / 2
    return (sum(total) - sum(left)) / 2 / max(total) if max(total) else 1.0


def mean_best_f1(gold: Sides, system: Sides) -> float:
    one, other = gather_sets(gold), gather_sets(system)

    def mean(sets: list[set[int]], others: list[set[int]]) -> float:
        best = [max(2 * len(x & y) / (len(x) + len(y)) for y in others) for x in sets]
        return sum(best) / len(best)

    return (mean(one, other) + mean(other, one)) / 2


def agree(one: dict[object, float], other: dict[object, float]) -> float:
    return sum(1 - abs(one[label] - other[label]) for label in one.keys() & other.keys())


def fuzzy_precision(gold: Sides, system: Sides) -> float:
    total = 0.0
    for i in range(len(gold)):
        near = [j for j in range(len(gold)) if j != i and share(system[i], system[j])]
        if near:
            pairs = [(agree(gold[i], gold[j]), agree(system[i], system[j])) for j in near]
            total += sum(min(pair) / pair[1] for pair in pairs) / len(near)
    return total / len(gold)


def fuzzy_nmi(gold: Sides, system: Sides, bins: int = 10) -> float:
    n = len(gold)

    def bin_degrees(side: Sides) -> list[list[int]]:
        labels = sorted({label for sets in side for label in sets}, key=str)
        edges = [i / bins for i in range(1, bins + 1)]
        return [
            [next(at for at, e in enumerate(edges) if sets.get(x, 0) <= e) for sets in side]
            for x in labels
        ]

    def met(x: set[int], y: set[int]) -> bool:
        alike = h(len(x & y), n) + h(n - len(x | y), n)
        return alike >= h(len(x - y), n) + h(len(y - x), n) - 1e-12

    one, other, ones, others = *map(bin_degrees, (gold, system)), *map(gather_sets, (gold, system))
    total, left = [], []
    for binned, beside, sets, facing in ((one, other, ones, others), (other, one, others, ones)):
        total.append(sum(map(entropy, binned)))
        rest = 0.0
        for x, members in zip(binned, sets, strict=True):
            found = [
                conditional(x, y)
                for y, near in zip(beside, facing, strict=True)
                if met(members, near)
            ]
            rest += min(found, default=entropy(x))
        left.append(rest)
    return (sum(total) - sum(left)) / 2 / max(total) if max(total) > 1e-12 else 1.0


def one_set(measure: Callable[..., float], *more: object) -> Callable[[Labels, Labels], float]:
    """A measure of sets where each item is in one."""
    return lambda g, s: measure([{x: 1.0} for x in g], [{x: 1.0} for x in s], *more)


def turned(measure: Callable[[Sides, Sides], float]) -> Callable[[Sides, Sides], float]:
    return lambda g, s: measure(s, g)


def mean_f(measure: Callable[[Sides, Sides], float]) -> Callable[[Sides, Sides], float]:
    return lambda g, s: f1(measure(g, s), measure(s, g))


COVER_TWINS: dict[str, Callable[[Sides, Sides], float]] = {
    "xb3-precision": xb3_precision,
    "xb3-recall": turned(xb3_precision),
    "xb3-f": mean_f(xb3_precision),
    "omega": omega,
    "onmi": onmi,
    "onmi(norm=lfk)": lambda g, s: onmi(g, s, "lfk"),
    "mean-best-f1": mean_best_f1,
    "fuzzy-b3-precision": fuzzy_precision,
    "fuzzy-b3-recall": turned(fuzzy_precision),
    "fuzzy-b3-f": mean_f(fuzzy_precision),
    "fuzzy-nmi": fuzzy_nmi,
    "element-centric": element_centric,
    "element-centric(alpha=0.5)": lambda g, s: element_centric(g, s, 0.5),
}


def arithmetic(a: float, b: float) -> float:
    return (a + b) / 2


def geometric(a: float, b: float) -> float:
    return math.sqrt(a * b)


def dendrogram_purity(
    gold: Labels, system: Labels, nodes: Sequence[set[int]] | None = None
) -> float | None:
    """Each pair of a class, and the smallest of the nodes (sets of items) that has both."""
    n = len(gold)
    if nodes is None:
        nodes = [{i for i in range(n) if system[i] == k} for k in set(system)]
    values = []
    for i, j in itertools.combinations(range(n), 2):
        if gold[i] == gold[j]:
            met = min((s for s in (*nodes, set(range(n))) if {i, j} <= s), key=len)
            values.append(sum(gold[x] == gold[i] for x in met) / len(met))
    if values:
        return sum(values) / len(values)
    return 1.0 if len(set(system)) == n else None


TWINS: dict[str, Callable[[Labels, Labels], float | None]] = {
    "homogeneity": homogeneity,
    "completeness": completeness,
    "v": v,
    "v(beta=0.5)": lambda g, s: v(g, s, 0.5),
    "vi": vi,
    "nvi": nvi,
    "nvi-k": lambda g, s: nvi(s, g),
    "vi-logn": vi_logn,
    "vi-2logn": lambda g, s: vi_logn(g, s) / 2,
    "vi-2logk": vi_2logk,
    "mi": mutual,
    "nmi": lambda g, s: nmi(g, s, arithmetic),
    "nmi(average=geometric)": lambda g, s: nmi(g, s, geometric),
    "nmi(average=min)": lambda g, s: nmi(g, s, min),
    "nmi(average=max)": lambda g, s: nmi(g, s, max),
    "zk-entropy": zk_entropy,
    "q0": q0,
    "q2": q2,
    "ami": lambda g, s: ami(g, s, arithmetic),
    "rmi": flat_rmi,
    "ami(average=max)": lambda g, s: ami(g, s, max),
    "purity": purity,
    "inverse-purity": inverse_purity,
    "micro-precision": purity,
    "micro-recall": purity,
    "many-to-one": purity,
    "van-dongen": van_dongen,
    "f": clustering_f,
    "larsen": larsen,
    "one-to-one": one_to_one,
    "misclassification": lambda g, s: 1 - one_to_one(g, s),
    "nca": nca,
    "psi": psi,
    "greedy-one-to-one": greedy,
    "meila-heckerman": greedy,
    "rand": rand,
    "ari": ari,
    "gamma": gamma,
    "correlation-distance": correlation_distance,
    "sokal-sneath": sokal_sneath,
    "jaccard": jaccard,
    "fm": fm,
    "mirkin": mirkin,
    "mirkin(scale=pairs)": lambda g, s: 1 - rand(g, s),
    "mirkin(scale=n2)": lambda g, s: mirkin(g, s) / len(g) ** 2,
    "paired-precision": paired_precision,
    "paired-recall": paired_recall,
    "paired-f": lambda g, s: f1(paired_precision(g, s), paired_recall(g, s)),
    "b3-precision": b3_precision,
    "b3-recall": b3_recall,
    "b3-f": lambda g, s: f1(b3_precision(g, s), b3_recall(g, s)),
    "ceaf-e": ceaf_e,
    "ceaf-e-precision": lambda g, s: dice(g, s) / len(set(s)),
    "ceaf-e-recall": lambda g, s: dice(g, s) / len(set(g)),
    "ceaf-m": one_to_one,
    "ceaf-m-precision": one_to_one,
    "ceaf-m-recall": one_to_one,
    "cluster-precision": lambda g, s: exact_sets(g, s) / len(set(s)),
    "cluster-recall": lambda g, s: exact_sets(g, s) / len(set(g)),
    "cluster-f": lambda g, s: 2 * exact_sets(g, s) / (len(set(g)) + len(set(s))),
    "muc": lambda g, s: f1(muc_recall(s, g), muc_recall(g, s)),
    "muc-precision": lambda g, s: muc_recall(s, g),
    "muc-recall": muc_recall,
    "lea": lambda g, s: f1(lea_recall(s, g), lea_recall(g, s)),
    "lea-precision": lambda g, s: lea_recall(s, g),
    "lea-recall": lea_recall,
    "blanc": lambda g, s: blanc(g, s, f1),
    "blanc-precision": lambda g, s: blanc(g, s, lambda p, r: p),
    "blanc-recall": lambda g, s: blanc(g, s, lambda p, r: r),
    "conll": conll,
    # Gold and system have the same items. For other mentions see tests/scoring/labels.
    "mention-f": lambda g, s: 1.0,
    "mention-precision": lambda g, s: 1.0,
    "mention-recall": lambda g, s: 1.0,
    "dendrogram-purity": dendrogram_purity,
    **{name: one_set(twin) for name, twin in COVER_TWINS.items()},
}


def jackknife_ends(
    value: float, without: Sequence[float], least: float, most: float, *, items: int = 0
) -> tuple[float, float]:
    """The interval of docs/inference.md for a measure whose best value is `most`."""
    n = len(without)
    mean = sum(without) / n
    bias = (n - 1) * (mean - value)
    spread = [mean - one for one in without]
    squares = sum(one**2 for one in spread)
    error = math.sqrt((n - 1) / n * squares)
    skew = sum(one**3 for one in spread) / (6 * squares**1.5)
    t = scipy.stats.t.ppf(0.975, n - 1)
    further = 1.5 * math.sqrt(n * (n - 1)) / (n - 2) * (1 + 2 * t**2) * error * skew
    reach = t * max(math.hypot(error * (1 + 1.5 / n), bias), 1 / items if items else 0)
    centre = value if value - bias >= most else value - bias
    scaled = most - (most - centre) * math.exp(reach / (most - centre))
    low = min(centre - reach + min(further, 0), scaled, value)
    high = max(centre + reach + max(further, 0), value)
    return max(low, min(least, value)), min(high, max(most, value))
