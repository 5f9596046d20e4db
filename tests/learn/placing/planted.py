"""A taxonomy and counts with known places of all words."""

from __future__ import annotations

import numpy as np

from roget.core.counts import Counts
from roget.learn.taxonomy.taxonomy import Taxonomy

AREAS, CLASSES, WORDS = 4, 3, 14
SYLLABLES = ["ba", "do", "ki", "lu", "me", "no", "pa", "ri", "su", "ta", "ve", "zo"]


def plant(unknown=2, seed=0, tokens=60):
    """Areas of classes of words, of which the last are not in the taxonomy; and where they belong.

    Words of a class share contexts, those of an area some more; the names of words say nothing.
    """
    rng = np.random.default_rng(seed)
    taxonomy, truth, words, rows = Taxonomy("planted"), {}, [], []
    spelt = rng.permutation(len(SYLLABLES) ** 4)
    taxonomy.labels["top"] = "everything"
    for area in range(AREAS):
        taxonomy.labels[f"a{area}"] = f"area {area}"
        taxonomy.parents[f"a{area}"] = ["top"]
        for number in range(CLASSES):
            name = f"c{area}{number}"
            taxonomy.labels[name] = f"class {area} {number}"
            taxonomy.parents[name] = [f"a{area}"]
            for at in range(WORDS):
                word = _spell(int(spelt[len(words)]))
                words.append(word)
                if at < WORDS - unknown:
                    taxonomy.add(word, name)
                else:
                    truth[word] = name
                p = np.full(AREAS * CLASSES * 8 + AREAS * 8 + 10, 0.2)
                first = (area * CLASSES + number) * 8
                p[first : first + 8] += 6
                p[AREAS * CLASSES * 8 + area * 8 :][:8] += 2
                rows.append(rng.multinomial(tokens, p / p.sum()))
    contexts = [f"obj:v{at}" for at in range(len(rows[0]))]
    return taxonomy, Counts(np.array(rows), words, contexts), truth


def _spell(number):
    word = ""
    for _ in range(4):
        number, at = divmod(number, len(SYLLABLES))
        word += SYLLABLES[at]
    return word


def write_skos(taxonomy, path, home="http://example.org/"):
    """The taxonomy as SKOS: classes are concepts, and words their labels."""
    lines = ["@prefix skos: <http://www.w3.org/2004/02/skos/core#> ."]
    for name, label in taxonomy.labels.items():
        held = [word for word, classes in taxonomy.words.items() if name in classes]
        others = "".join(f' ; skos:altLabel "{word}"@en' for word in held)
        above = "".join(f" ; skos:broader <{home}{one}>" for one in taxonomy.parents.get(name, ()))
        lines.append(
            f'<{home}{name}> a skos:Concept ; skos:prefLabel "{label}"@en{others}{above} .'
        )
    path.write_text("\n".join(lines), encoding="utf-8")


def write_conllu(counts, path):
    """A corpus of sentences of a verb and its object, with the counts."""
    blocks = []
    for word, context, count in counts.rows():
        verb = context.partition(":")[2]
        block = (
            f"# text = {verb} {word}\n1\t{verb}\t{verb}\tVERB\t_\t_\t0\troot\t_\t_\n"
            f"2\t{word}\t{word}\tNOUN\t_\t_\t1\tobj\t_\t_\n\n"
        )
        blocks += [block] * int(count)
    path.write_text("".join(blocks), encoding="utf-8")
