"""The mutants: one small fault each, at least one in every package."""

from __future__ import annotations

from typing import NamedTuple


class Mutant(NamedTuple):
    """An edit of one file below src/roget; `old` occurs in it exactly once."""

    file: str
    breaks: str
    old: str
    new: str


MUTANTS = (
    Mutant(
        "core/io/source.py",
        "a truncated .zst file is read without an error",
        "if have < size and self._frame is not None:",
        "if have < size and self._frame is not None and not parts:",
    ),
    Mutant(
        "core/io/limits.py",
        "the limit for small compressed files is not applied",
        "return max(max_size(), stored * expansion)",
        "return max(max_size(), stored * expansion) * expansion",
    ),
    Mutant(
        "core/store.py",
        "unfinished work of another kind of command is continued",
        "if _MARK in names or (names and not self._left(names)):",
        "if names and not self._left(names):",
    ),
    Mutant(
        "core/counts/counts.py",
        "pairs that occur exactly as often as the minimum are dropped",
        "cut.data[cut.data < pairs] = 0",
        "cut.data[cut.data <= pairs] = 0",
    ),
    Mutant(
        "core/tree.py",
        "the lowest common ancestor of two leaves is one node too low",
        "between[end[inner] - 1] = self.parent[inner]",
        "between[end[inner] - 1] = inner",
    ),
    Mutant(
        "core/kernels/special.py",
        "wrong sign of a term of Stirling's series in differences of lnΓ",
        "- (w * ww - u * uu) / 360.0",
        "+ (w * ww - u * uu) / 360.0",
    ),
    Mutant(
        "engines/local.py",
        "progress of a pool swaps bytes and tokens",
        "report(now[0] - self._seen[0], now[1] - self._seen[1])",
        "report(now[1] - self._seen[1], now[0] - self._seen[0])",
    ),
    Mutant(
        "data/sets.py",
        "a data set with missing files is taken for complete",
        "if not all(path.exists() for path in required):",
        "if not any(path.exists() for path in required):",
    ),
    Mutant(
        "scoring/labels/align.py",
        "items of precounted cells without a label are counted as whole cells",
        "counts = None if counts is None else np.where(gaps, 1, counts[kept])",
        "counts = None if counts is None else counts[kept]",
    ),
    Mutant(
        "scoring/labels/readers/key.py",
        "a comment without a space after !! is read as labels",
        'lambda cell: not cell.startswith("!!")',
        'lambda cell: cell != "!!"',
    ),
    Mutant(
        "scoring/labels/readers/pairs.py",
        "a pair with a probability of exactly one half is not a match",
        "return number >= THRESHOLD",
        "return number > THRESHOLD",
    ),
    Mutant(
        "scoring/tables/statistics.py",
        "entropy estimators get the support of the other side",
        "supports = (c, k, c * k) if product",
        "supports = (k, c, c * k) if product",
    ),
    Mutant(
        "scoring/entropy/base.py",
        "empty cells do not contribute to entropies of groups",
        "return histogram.sum(weights) + empty * nothing",
        "return histogram.sum(weights)",
    ),
    Mutant(
        "scoring/measures/pairs.py",
        "the maximum in the adjusted Rand index is wrong",
        "most = (pairs.gold + pairs.system) * pairs.total - 2 * chance",
        "most = (pairs.gold + pairs.system) * pairs.total - chance",
    ),
    Mutant(
        "scoring/measures/information.py",
        "V weights homogeneity by beta instead of completeness",
        "scale = self.beta * entropies.system + entropies.gold",
        "scale = self.beta * entropies.gold + entropies.system",
    ),
    Mutant(
        "scoring/steps/chance.py",
        "z of distances has the wrong sign",
        'return float(beyond / deviation) * (1 if request[0].direction == "higher" else -1)',
        "return float(beyond / deviation)",
    ),
    Mutant(
        "scoring/agreement/consensus.py",
        "the support of an item counts the item itself",
        "could[kept] += sizes[mine] - 1",
        "could[kept] += sizes[mine]",
    ),
    Mutant(
        "scoring/pipeline.py",
        "random baselines of a comparison have the sizes of the first system",
        "draws, like_gold=inputs.compared\n",
        "draws, like_gold=False\n",
    ),
    Mutant(
        "learn/corpus/relations.py",
        "labels that a pattern excludes are counted",
        "return not excluded and any(",
        "return excluded or any(",
    ),
    Mutant(
        "learn/corpus/text.py",
        "sentences of plain text begin at the wrong words",
        "places = np.flatnonzero(ends) - np.arange(ends.sum())",
        "places = np.flatnonzero(ends)",
    ),
    Mutant(
        "learn/counting/merge.py",
        "the minimum of a pair is not converted to units of weighted counts",
        "WHERE n >= {cuts.min_pair * self._per_one}",
        "WHERE n >= {cuts.min_pair}",
    ),
    Mutant(
        "learn/representation/vectors.py",
        "an unknown word gets the vector of the last known one",
        "known = rows if self.rows is None else np.where(rows < 0, -1, self.rows[rows])",
        "known = rows if self.rows is None else self.rows[rows]",
    ),
    Mutant(
        "learn/clustering/soft/em.py",
        "memberships use p(c) instead of ln p(c)",
        "bias = np.log(np.maximum(self.mass[: self.k], 1e-30)) if self.massive",
        "bias = np.maximum(self.mass[: self.k], 1e-30) if self.massive",
    ),
    Mutant(
        "learn/clustering/mdl/criteria.py",
        "a parameter costs log N instead of half of it",
        "return more / 2 * math.log(tokens) if tokens > 1 else 0.0",
        "return more * math.log(tokens) if tokens > 1 else 0.0",
    ),
    Mutant(
        "learn/clustering/comdl/criterion.py",
        "wrong sign in the cost of a partition",
        "costs = gammaln(n) - gammaln(inner) - gammaln(n - inner + 1) + gammaln(n + 1)",
        "costs = gammaln(n) - gammaln(inner) + gammaln(n - inner + 1) + gammaln(n + 1)",
    ),
    Mutant(
        "learn/clustering/spherical/moves.py",
        "the fit of a word to its class includes the word itself",
        "rest = sums[here] - part",
        "rest = sums[here]",
    ),
    Mutant(
        "learn/clustering/agglomerative/merges.py",
        "splits have the losses of the first merges",
        "values = self.losses[::-1][: k - 1] * scale",
        "values = self.losses[: k - 1] * scale",
    ),
    Mutant(
        "learn/thesaurus/neighbours.py",
        "the last of n neighbours is missing",
        "others = others[found[others] >= least]",
        "others = others[found[others] > least]",
    ),
    Mutant(
        "learn/taxonomy/taxonomy.py",
        "a class with several parents counts in full below each",
        "share += [share[node] / (len(parents[part]) or 1) for part in parts]",
        "share += [share[node] for part in parts]",
    ),
    Mutant(
        "learn/treecut/estimator.py",
        "a head whose words are all unknown has no unknown tokens",
        "self.unknown_ = np.where(totals > 0, np.maximum(lost, 0.0), 1.0)",
        "self.unknown_ = np.where(totals > 0, np.maximum(lost, 0.0), 0.0)",
    ),
    Mutant(
        "learn/classmodel/classes.py",
        "continuation probabilities do not sum to 1",
        "(words - taken + taken.sum() / words.size) / words.sum()",
        "(words - taken) / words.sum()",
    ),
    Mutant(
        "learn/attachment/chain.py",
        "a tie decides an attachment",
        "fresh = (stage == default) & ~np.isnan(one) & (one != 0)",
        "fresh = (stage == default) & ~np.isnan(one)",
    ),
    Mutant(
        "learn/evaluation/heldout.py",
        "the reduction in loss has the wrong sign",
        "return interval([theirs - mine for theirs, mine in pairs])",
        "return interval([mine - theirs for theirs, mine in pairs])",
    ),
    Mutant(
        "learn/growth/update.py",
        "growth moves the last word out of a class",
        "together[source] != together[target] and left[source] > 1:",
        "together[source] != together[target] and left[source] > 0:",
    ),
    Mutant(
        "learn/placing/votes.py",
        "votes by contexts are not squared",
        'table.data = 2.0**table.data if self.by == "ending" else table.data**2',
        'table.data = 2.0**table.data if self.by == "ending" else table.data',
    ),
    Mutant(
        "languages/clauses.py",
        "clauses that lack a verb are taken for complete ones, and the reverse",
        'return clause.has("X") and not clause.has("vza")',
        'return clause.has("X") and clause.has("vza")',
    ),
    Mutant(
        "report/render/data.py",
        "a formula that begins like a harmless cell is not reported",
        "if not _PLAIN.fullmatch(one)]",
        "if not _PLAIN.match(one)]",
    ),
    Mutant(
        "report/exports/trees.py",
        "bit strings of splits into two have two bits",
        "width = (len(children) - 1).bit_length()",
        "width = len(children).bit_length()",
    ),
    Mutant(
        "web/access.py",
        "an access key works more than once",
        "if not known or self._keys.pop(known[0], 0) is not None:",
        "if not known:",
    ),
    Mutant(
        "web/views/base.py",
        "a request can ask for any number of rows",
        "return min(number, self.maximum)",
        "return number",
    ),
    Mutant(
        "papers/reproduction.py",
        "a value may differ by a whole digit of the published one",
        "most = 0.5 * 10**-self.digits if self.within is None else self.within",
        "most = 10**-self.digits if self.within is None else self.within",
    ),
    Mutant(
        "cli/shared.py",
        "commands print warnings twice as text and never with other formats",
        'notes = [*(() if chosen == "text" else report.warnings)',
        'notes = [*(() if chosen != "text" else report.warnings)',
    ),
)
