"""Naive reading and extraction, token by token, without shared code."""

from __future__ import annotations

import gzip
from collections import Counter
from fnmatch import fnmatchcase
from functools import cache

NAMED = {
    "obj": ("obj", "VERB", "obj", "NOUN", False),
    "subj": ("subj", "VERB", "nsubj", "NOUN", False),
    "amod": ("amod", "NOUN", "amod", "ADJ", False),
    "obl:prep": ("obl", "VERB", "obl", "NOUN", True),
    "nmod:prep": ("nmod", "NOUN", "nmod", "NOUN", True),
}


@cache
def parsed(path):
    """The sentences of a file; kept, because several tests ask for the same large one."""
    data = path.read_bytes()
    return sentences((gzip.decompress(data) if path.suffix == ".gz" else data).decode())


def sentences(text, form=False, keep_case=False):
    """Lists of (word, UPOS, head counted from 1, label); None where the file has nothing."""
    found, now = [], []
    for line in [*text.split("\n"), ""]:
        line = line.rstrip("\r")
        if line == "":
            if now:
                found.append(now)
            now = []
        elif not line.startswith("#"):
            columns = [None if value in ("_", "") else value for value in line.split("\t")]
            if columns[0].isdigit():
                word = columns[1] if form else columns[2] or columns[1]
                if word and not keep_case:
                    word = word.lower()
                head = int(columns[6]) if columns[6] and columns[6] != "0" else None
                now.append((word, columns[3], head, columns[7]))
    return found


def preposition(sentence, place):
    """The words of a token's preposition, joined; "" if it has none."""
    words = []
    for i, (word, upos, head, label) in enumerate(sentence, 1):
        if head == place and label == "case" and upos == "ADP" and word:
            words.append(word)
            words += [w for w, _, h, rel in sentence if h == i and rel == "fixed" and w]
    return "_".join(words).lower()


def is_bare(sentence, place):
    """Whether nothing but particles marks a token's case."""
    return not any(h == place and rel == "case" and tag != "PART" for _, tag, h, rel in sentence)


def first_conjunct(sentence, place):
    """Where the chain of conjuncts of one part of speech begins; None if it runs in a circle."""
    seen = []
    while place not in seen:
        seen.append(place)
        _, upos, head, label = sentence[place - 1]
        if not head or not label or label.split(":")[0] != "conj" or sentence[head - 1][1] != upos:
            return place
        place = head
    return None


def pairs(found, names, tags=False):
    """How often each (word, slot, context) occurs, for built-in names and patterns."""
    relations = {}
    for name in names:
        slot, equals, name = name.rpartition("=")
        turned, name = name.startswith("~"), name.removeprefix("~")
        if name in NAMED:
            slot, head, label, dependent, case = NAMED[name]
            conj = bare = False
        else:
            head, label, dependent = name.split("/")
            label, *more = label.split("+")
            case, conj, bare = "case" in more, "conj" in more, "bare" in more
        shown = slot if equals else "~" * turned + (slot or label)
        by_label = "*" in label and not equals
        key = (turned, head, label, dependent, case, conj, bare, shown, bool(equals))
        relations[key] = by_label
    alone = len(relations) == 1 and not next(iter(relations))[-1]
    counts = Counter()

    @cache
    def matching(label):
        return [
            one
            for one in relations
            if any(fnmatchcase(label, x) for x in one[2].split(","))
            and not any(fnmatchcase(label, x[1:]) for x in one[2].split(",") if x[0] == "!")
        ]

    for sentence in found:
        for i in range(1, len(sentence) + 1):
            first = first_conjunct(sentence, i)
            for origin in {i, first or i}:
                _, upos, head, label = sentence[origin - 1]
                if head is None or label is None:
                    continue
                for one in matching(label):
                    turned, head_tags, _, tags_below, case, conj, bare, name, _ = one
                    if origin != i and not (conj and sentence[origin - 1][0]):
                        continue
                    if tags_below != "*" and upos not in tags_below.split(","):
                        continue
                    if head_tags != "*" and sentence[head - 1][1] not in head_tags.split(","):
                        continue
                    slot = [] if alone else ["~" * turned + label if relations[one] else name]
                    if case:
                        slot.append(preposition(sentence, i) or preposition(sentence, origin))
                        if not slot[-1]:
                            continue
                    if bare and not (is_bare(sentence, i) and is_bare(sentence, origin)):
                        continue
                    both = [sentence[i - 1], sentence[head - 1]]
                    if None in (both[0][0], both[1][0]):
                        continue
                    below, above = (f"{w}/{tag}" if tags and tag else w for w, tag, _, _ in both)
                    word, context = (above, below) if turned else (below, above)
                    counts[word, ":".join(slot), context] += 1
    return counts


def quadruples(found):
    """The (verb, noun, preposition, noun, N or V) of sentences, in order."""
    result = []
    for sentence in found:
        for o, (noun, upos, v, label) in enumerate(sentence, 1):
            if label != "obj" or upos != "NOUN" or v is None or v > o:
                continue
            if sentence[v - 1][1] != "VERB":
                continue
            for d in range(o + 1, len(sentence) + 1):
                word, upos, head, label = sentence[d - 1]
                if upos == "VERB":
                    break
                of_object, of_verb = head == o and label == "nmod", head == v and label == "obl"
                if upos == "NOUN" and (of_object or of_verb):
                    case = [
                        t[0] for t in sentence if t[2] == d and t[3] == "case" and t[1] == "ADP"
                    ]
                    quad = (sentence[v - 1][0], noun, *case, word)
                    if len(case) == 1 and None not in quad:
                        result.append((*quad, "N" if of_object else "V"))
                    break
    return result
