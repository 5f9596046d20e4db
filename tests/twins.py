"""Every measure again, item by item from its definition: slow, obvious, and shares no code."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

Labels = Sequence[object]


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


def arithmetic(a: float, b: float) -> float:
    return (a + b) / 2


def geometric(a: float, b: float) -> float:
    return math.sqrt(a * b)


TWINS: dict[str, Callable[[Labels, Labels], float | None]] = {
    "homogeneity": homogeneity,
    "completeness": completeness,
    "v": v,
    "v(beta=0.5)": lambda g, s: v(g, s, 0.5),
    "vi": vi,
    "nvi": nvi,
    "nvi-k": lambda g, s: nvi(s, g),
    "vi-logn": vi_logn,
    "mi": mutual,
    "nmi": lambda g, s: nmi(g, s, arithmetic),
    "nmi(average=geometric)": lambda g, s: nmi(g, s, geometric),
    "nmi(average=min)": lambda g, s: nmi(g, s, min),
    "nmi(average=max)": lambda g, s: nmi(g, s, max),
    "zk-entropy": zk_entropy,
    "q0": q0,
    "q2": q2,
    "ami": lambda g, s: ami(g, s, arithmetic),
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
    "greedy-one-to-one": greedy,
    "meila-heckerman": greedy,
    "rand": rand,
    "ari": ari,
    "gamma": gamma,
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
}
