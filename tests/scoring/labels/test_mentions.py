"""Coreference mentions: unmatched mentions, several documents, and file formats."""

from __future__ import annotations

import itertools
import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import roget
from roget.errors import InputError
from roget.scoring.labels import as_labels
from roget.scoring.labels.labels import Labels, code_texts
from support.errors import codes, notice, refused
from twins import f1

MEASURES = {
    "muc": ("muc-recall", "muc-precision", "muc"),
    "bcub": ("b3-recall", "b3-precision", "b3-f"),
    "ceafm": ("ceaf-m-recall", "ceaf-m-precision", "ceaf-m"),
    "ceafe": ("ceaf-e-recall", "ceaf-e-precision", "ceaf-e"),
    "blanc": ("blanc-recall", "blanc-precision", "blanc"),
}
LEA = ("lea-recall", "lea-precision", "lea")

# The twin: documents are lists of entities, entities sets of mentions, and every number is the
# reference scorer's, from its definition.


def muc(key, response):
    def correct(ours, theirs):
        done = 0
        for entity in ours:
            touched = sum(bool(entity & other) for other in theirs)
            done += len(entity & set().union(*theirs)) - touched
        return done

    return (
        correct(key, response),
        sum(map(len, key)) - len(key),
        correct(response, key),
        (sum(map(len, response)) - len(response)),
    )


def bcub(key, response):
    def sums(ours, theirs):
        pairs = itertools.product(ours, theirs)
        return sum(len(a & b) ** 2 / len(a) for a, b in pairs), sum(map(len, ours))

    return *sums(key, response), *sums(response, key)


def ceaf(key, response, worth):
    few, many = sorted((key, response), key=len)
    best = max(
        sum(worth(a, b) for a, b in zip(few, chosen, strict=True))
        for chosen in itertools.permutations(many, len(few))
    )
    return best


def ceafm(key, response):
    best = ceaf(key, response, lambda a, b: len(a & b))
    return best, sum(map(len, key)), best, sum(map(len, response))


def ceafe(key, response):
    best = ceaf(key, response, lambda a, b: 2 * len(a & b) / (len(a) + len(b)))
    return best, len(key), best, len(response)


def lea(key, response):
    def sums(ours, theirs):
        total = 0.0
        for entity in ours:
            links = list(itertools.combinations(sorted(entity), 2))
            if links:
                share = sum(any({i, j} <= b for b in theirs) for i, j in links) / len(links)
            else:
                share = float(entity in theirs)
            total += len(entity) * share
        return total, sum(map(len, ours))

    return *sums(key, response), *sums(response, key)


def links(entities):
    within = {frozenset(p) for e in entities for p in itertools.combinations(sorted(e), 2)}
    mentions = sorted(set().union(*entities)) if entities else []
    return within, {frozenset(p) for p in itertools.combinations(mentions, 2)} - within


def blanc(documents):
    sums = Counter()
    for key, response in documents:
        for kind, ours, theirs in zip("ca", links(key), links(response), strict=True):
            sums[kind, "key"] += len(ours)
            sums[kind, "response"] += len(theirs)
            sums[kind, "both"] += len(ours & theirs)
    scores = {}
    for kind in "ca":
        r, p = (
            sums[kind, "both"] / sums[kind, side] if sums[kind, side] else 0.0
            for side in ("key", "response")
        )
        scores[kind] = r, p, f1(p, r)
    if not sums["c", "key"] and not sums["a", "key"]:
        same = not (sums["c", "response"] or sums["a", "response"])
        return [float(same)] * 3
    if not sums["c", "key"]:
        return list(scores["a"])
    if not sums["a", "key"]:
        return list(scores["c"])
    return [(c + a) / 2 for c, a in zip(*scores.values(), strict=True)]


def micro(metric, documents):
    """Numerators and denominators are summed over documents."""
    sums = np.sum([metric(key, response) for key, response in documents], axis=0)
    recall, precision = (sums[i] / sums[i + 1] if sums[i + 1] else 0.0 for i in (0, 2))
    return [recall, precision, f1(precision, recall)]


TWINS = {"muc": muc, "bcub": bcub, "ceafm": ceafm, "ceafe": ceafe}


def to_labels(sides, name):
    rows = [
        (str(document), str(mention), str(entity))
        for document, entities in enumerate(sides)
        for entity, mentions in enumerate(entities)
        for mention in sorted(mentions)
    ]
    return Labels(
        **code_texts([entity for _, _, entity in rows])._asdict(),
        items=[mention for _, mention, _ in rows],
        groups=np.array([int(document) for document, _, _ in rows], dtype=np.int64),
        group_names=list(map(str, range(len(sides)))),
        source=name,
        mentions=True,
    )


def entities_of(labels):
    found = {}
    for mention, entity in enumerate(labels):
        if entity is not None:
            found.setdefault(entity, set()).add(mention)
    return list(found.values())


sides = st.lists(st.none() | st.integers(0, 3), min_size=1, max_size=7).map(entities_of)
documents = st.lists(st.tuples(sides, sides), min_size=1, max_size=3)


@given(documents)
def test_unmatched_mentions_and_documents_equal_naive_scorer(documents):
    key, response = zip(*documents, strict=True)
    if not any(key):
        return
    asked = [*itertools.chain(*MEASURES.values()), *LEA, "conll"]
    sides = to_labels(key, "key"), to_labels(response, "response")
    got = roget.score(*sides, asked, baselines=False)
    expected = {name: micro(metric, documents) for name, metric in TWINS.items()}
    expected["blanc"] = blanc(documents)
    for name, values in expected.items():
        assert [got[m] for m in MEASURES[name]] == pytest.approx(values, abs=1e-12), name
    assert [got[m] for m in LEA] == pytest.approx(micro(lea, documents), abs=1e-12)
    mean = sum(expected[name][2] for name in ("muc", "bcub", "ceafe")) / 3
    assert got["conll"] == pytest.approx(mean, abs=1e-12)


@given(documents)
def test_documents_are_scored_separately(documents):
    documents = [(key, response) for key, response in documents if key or response]
    if not any(key for key, _ in documents):
        return
    key, response = (to_labels(side, "x") for side in zip(*documents, strict=True))
    asked = [*itertools.chain(*MEASURES.values()), *LEA]
    got = roget.score(key, response, asked, average="unweighted", baselines=False)
    for name, metric in (TWINS | {"lea": lea}).items():
        each = np.mean([micro(metric, [one]) for one in documents], axis=0)
        names = LEA if name == "lea" else MEASURES[name]
        assert [got[m] for m in names] == pytest.approx(each.tolist(), abs=1e-12), name
    each = np.mean([blanc([one]) for one in documents], axis=0)
    assert [got[m] for m in MEASURES["blanc"]] == pytest.approx(each.tolist(), abs=1e-12)


def test_reference_scorer_cases_are_reproduced(shared_data):
    """In expected.json, [1, 1, 1] marks a case that does not apply to a measure."""
    folder = shared_data / "coreference"
    if not folder.is_dir():
        pytest.skip(f"no test cases at {folder}")
    compared = 0
    for case in json.loads((folder / "expected.json").read_text("utf-8")):
        key, response = folder / case["key"], folder / case["response"]
        meant = {
            name: values
            for name, values in case["expected"].items()
            if values != [1, 1, 1] or case["id"] in ("A1", "H1")
        }
        asked = [m for name in meant for m in MEASURES[name]]
        got = roget.score(key, response, asked, baselines=False)
        assert "average:pooled" in got.signature
        assert "missing:unmatched" in got.signature
        assert "extra:unmatched" in got.signature
        for name, values in meant.items():
            found = [got[measure] for measure in MEASURES[name]]
            assert found == pytest.approx(values, abs=6e-6), (case["id"], name)
            compared += 1
    assert compared >= 60


KEY = """#begin document (a); part 000
a 0 0 The   (1
a 0 1 cat   1)
a 0 2 saw   -
a 0 3 its   (2(1)
a 0 4 tail  2)

#end document
#begin document (b); part 000
b 0 0 Rain  -
#end document
"""
RESPONSE = """#begin document (a); part 000
a\t0\t0\tThe\t(7
a\t0\t1\tcat\t7)
a\t0\t2\tsaw\t-
a\t0\t3\tits\t(7)
a\t0\t4\ttail\t(8)
#end document
#begin document (b); part 000
b\t0\t0\tRain\t(1)
#end document
"""


def test_conll_files_are_scored(write, answers):
    key = write("key.conll", KEY)
    assert answers(as_labels(key)) == {
        ("(a); part 000", "0-1"): {"1": 1.0},
        ("(a); part 000", "3"): {"1": 1.0},
        ("(a); part 000", "3-4"): {"2": 1.0},
    }
    response = write("response.txt", RESPONSE)
    got = roget.score(key, response, ["muc", "b3-precision", "b3-recall", "blanc"], baselines=False)
    assert (got["muc"], got["b3-recall"], got["b3-precision"]) == (1.0, 2 / 3, 0.5)
    assert {"extra-items", "missing-items"} <= set(codes(got.warnings))
    assert got.rows[-1].value == pytest.approx(0.5)
    assert as_labels(write("gold.key", KEY)).mentions


def test_system_without_mentions_scores_zero(write):
    nothing = "".join(f"#begin document ({d}); part 000\nw -\n#end document\n" for d in "ab")
    got = roget.score(write("key.conll", KEY), write("none.conll", nothing), ["conll", "lea"])
    assert [row.value for row in got.rows] == [0.0, 0.0]
    with refused("empty-input"):
        roget.score(write("none.conll", nothing), write("key.conll", KEY))


def test_repeated_mentions_stay_with_first_entity(write, answers):
    text = "#begin document x\nw\t(1(3\nw\t-\nw\t3)1)\nw\t(3)\n#end document\n"
    labels = as_labels(write("a.conll", text))
    assert answers(labels) == {("x", "0-2"): {"1": 1.0}, ("x", "3"): {"3": 1.0}}
    notice(labels.warnings, "repeated-rows", "1 mention", "gold")
    gold = as_labels(write("a.conll", text), gold=True)
    notice(gold.warnings, "repeated-rows", "1 mention", "a.conll")


def test_repeated_mentions_missing_in_gold_count_again(write):
    """Like the reference scorer: removed from the key, but counted again in responses."""
    key = "#begin document x\nw\t(1)\nw\t(1)\nw\t(2)\nw\t(2)\nw\t-\n#end document\n"
    measures = [
        "muc-precision",
        "muc-recall",
        "b3-precision",
        "ceaf-m-precision",
        "ceaf-e-precision",
    ]

    def scored(response):
        table = roget.score(write("key.conll", key), write("response.conll", response), measures)
        return [row.value for row in table.rows], table.warnings

    # The last word, no mention of the key, is in both entities: links 1 + 2 of 2 + 2; B-cubed of
    # each entity has 2 of 3 right.
    twice = "#begin document x\nw\t(1)\nw\t(1)\nw\t(2)\nw\t(2)\nw\t(1)|(2)\n#end document\n"
    values, warnings = scored(twice)
    assert values == pytest.approx([2 / 4, 1, 2 * 2 * (2 / 3) / 6, 4 / 6, 2 * (4 / 5) / 2])
    assert "repeated-rows" in codes(warnings)
    # A word of the key in both entities stays with the first.
    known = "#begin document x\nw\t(1)\nw\t(1)|(2)\nw\t(2)\nw\t(2)\nw\t-\n#end document\n"
    values, warnings = scored(known)
    assert values == pytest.approx([1, 1, 1, 1, 1])
    assert not any("counted again" in text for text in warnings)
    # Alone in an entity, it is one of the system's entities still.
    lone = "#begin document x\nw\t(1)\nw\t(1)\nw\t(2)\nw\t(2)\nw\t(3)|(4)\n#end document\n"
    assert scored(lone)[0] == pytest.approx([1, 1, 4 / 6, 4 / 6, 2 / 4])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#begin document a\nw (1\n#end document\n", r"a\.conll:2: a mention of '1' does not end"),
        (
            "#begin document a\nw (1\n#begin document b\nw 1)\n#end document\n",
            r"a\.conll:2: a mention of '1' does not end",
        ),
        ("#begin document a\nw 1)\n#end document\n", r"a\.conll:2: a mention of '1' ends that did"),
        ("w (1)\n", r"a\.conll:1: a word outside of a document; expected #begin document"),
        (
            "#begin document a\nw (1)\n#end document\n#begin document a\nw -\n#end document\n",
            r"a\.conll:4: the document 'a' begins again",
        ),
    ],
)
def test_broken_conll_files_are_refused(write, text, message):
    with refused("broken-lines"):
        as_labels(write("a.conll", text))


COREFUD = """# newdoc id = d1
# global.Entity = eid-etype-head-other
# sent_id = 1
1-2\tIm\t_\t_\t_\t_\t_\t_\t_\t_
1\tIn\t_\t_\t_\t_\t0\t_\t_\t_
2\tdem\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-place-2-
3\tHaus\t_\t_\t_\t_\t0\t_\t_\tEntity=e1)|SpaceAfter=No
3.1\t_\t_\t_\t_\t_\t_\t_\t_\tEntity=(e2-person-1-)

1\tEs\t_\t_\t_\t_\t0\t_\t_\tEntity=(e1-place-1-)
2\tging\t_\t_\t_\t_\t0\t_\t_\tEntity=(e3[1/2]-event-1-)
3\ter\t_\t_\t_\t_\t0\t_\t_\tEntity=(e2-person-1-)
4\tweg\t_\t_\t_\t_\t0\t_\t_\tEntity=(e3[2/2]-event-1-)

"""


def test_corefud_files_are_read(write, answers):
    labels = as_labels(write("a.conllu", COREFUD))
    assert answers(labels) == {
        ("d1", "1:2-1:3"): {"e1": 1.0},
        ("d1", "2:1"): {"e1": 1.0},
        ("d1", "1:3.1"): {"e2": 1.0},
        ("d1", "2:3"): {"e2": 1.0},
        ("d1", "2:2,2:4"): {"e3": 1.0},
    }
    assert as_labels(write("a.txt", COREFUD)).mentions
    broken = COREFUD.replace("e1)|", "")
    with refused("broken-lines", "b.conllu:6", "'e1'"):
        as_labels(write("b.conllu", broken))
    with refused("broken-lines", "2", "'e3'", "1"):
        as_labels(write("c.conllu", COREFUD.replace("(e3[1/2]-event-1-)", "_")))
    with refused("broken-lines", "d.conllu:1", "3", "10"):
        as_labels(write("d.conllu", "1\tIn\t_\n"))


def test_explicit_rules_override_those_of_mentions(write):
    key, response = write("key.conll", KEY), write("response.conll", RESPONSE)
    got = roget.score(key, response, "b3-f", average="weighted", missing="cluster", extra="drop")
    assert "average:weighted" in got.signature
    assert "missing:cluster" in got.signature
    assert "extra:" not in got.signature


def test_unmatched_rule_applies_to_other_files():
    gold, system = {"a": 1, "b": 1, "c": 2}, {"a": 1, "b": 1, "d": 3}
    got = roget.score(gold, system, ["b3-precision", "muc"], missing="unmatched", extra="unmatched")
    assert (got["b3-precision"], got["muc"]) == (2 / 3, 1.0)
    weights = {"a": {"x": 1, "y": 1}, "b": "x", "d": "z"}
    with pytest.raises(InputError):
        roget.score(gold, weights, "muc", missing="unmatched", extra="unmatched")
    got = roget.score(gold, system, "muc", missing="unmatched", extra="unmatched", ci=10)
    notice(got.warnings, "needs-groups", "unmatched items")


def test_systems_with_different_mentions_are_ranked_together(write):
    key = write("key.conll", KEY)
    systems = {"a": write("a.conll", RESPONSE), "b": write("b.conll", KEY)}
    got = roget.compare(key, systems, ["conll", "lea"])
    ranks = {(row.system, row.measure): row.rank for row in got.rows if not row.trivial}
    assert ranks == {("a", "conll"): 2, ("a", "lea"): 2, ("b", "conll"): 1, ("b", "lea"): 1}


def test_sizes_are_those_of_gold_in_any_order_of_systems(write):
    key = write("key.conll", KEY)
    systems = {"a": write("a.conll", RESPONSE), "b": write("b.conll", KEY)}
    gold = as_labels(key, gold=True)
    response = as_labels(systems["a"])
    for order in (["a", "b"], ["b", "a"]):
        got = roget.compare(key, {name: systems[name] for name in order})
        assert got.items == len(gold)
        assert got.classes == gold.n_labels
        clusters = {row.system: row.clusters for row in got.rows if not row.trivial}
        assert clusters == {"a": response.n_labels, "b": gold.n_labels}
        # The second document has no gold mentions.
        sizes = f"{len(gold)} gold mentions, {gold.n_labels} gold entities, 1 document"
        assert sizes in str(got)
    columns = next(line for line in str(got).splitlines() if line.startswith("rank")).split()
    measures = [word for word in columns if word in ("conll", "muc", "b3-f", "ceaf-e")]
    assert measures == ["conll", "muc", "b3-f", "ceaf-e"]
    other = roget.compare(key, systems, main="muc")
    assert [name for name, _ in other.headline.scores] == ["muc", "conll", "b3-f", "ceaf-e"]


def test_json_documents_are_read_as_mentions(write):
    key = write("key.jsonl", '{"doc_key": "d", "clusters": [[[0, 0], [3, 3]], [[2, 2], [6, 7]]]}\n')
    both = '{"doc_key": "d", "clusters": [], "predicted_clusters": [[[0, 0], [3, 3], [6, 7]]]}\n'
    response = write("response.jsonl", both)
    conll = write(
        "key.conll",
        "#begin document d\n" + "".join(f"{cell}\n" for cell in
        ("a (1)", "b -", "c (2)", "d (1)", "e -", "f -", "g (2", "h 2)")) + "#end document\n",
    )  # fmt: skip
    table = roget.score(key, response)
    assert table.headline.kind == "coreference"
    assert table.flat() == roget.score(conll, response).flat()
    assert roget.score(key, conll)["b3-f"] == 1
    assert table.headline.families[0].recall == 0.5
    for text in ('{"doc_key": "d", "clusters": [[0, 1]]}', '["clusters"]', "clusters"):
        broken = write("broken.jsonl", f"{key.read_text()}{text}\n")
        with refused("broken-lines", f"{broken}:2"):
            as_labels(broken)


def conll(**documents):
    """Return a CoNLL file. The documents are lists of the last column."""
    lines = []
    for name, cells in documents.items():
        words = [f"w {cell}" for cell in cells]
        lines += [f"#begin document ({name}); part 000", *words, "#end document"]
    return "\n".join([*lines, ""])


TWO = {"a": ["(1)", "(1)", "(2)", "-"], "b": ["(1)", "(1)", "-", "(2)"]}


@pytest.mark.parametrize("name", ["a", "a_0", "(a); part 000"])
def test_documents_match_in_either_notation(write, name):
    key = write("key.conll", conll(a=TWO["a"]))
    line = {"doc_key": name, "clusters": [[[0, 0], [1, 1]], [[2, 2]]]}
    response = write("response.jsonl", f"{json.dumps(line)}\n")
    assert roget.score(key, response, "lea")["lea"] == 1
    assert roget.score(response, key, "lea")["lea"] == 1


def test_ambiguous_and_different_parts_do_not_match(write):
    key = write("key.conll", conll(a=TWO["a"]))
    for names in (["a_1"], ["a", "a_0"]):
        lines = [json.dumps({"doc_key": name, "clusters": [[[0, 0], [1, 1]]]}) for name in names]
        response = write("response.jsonl", "\n".join(lines) + "\n")
        with refused("no-common-items", names[0], "(a); part 000"):
            roget.score(key, response, "lea")


def test_missing_extra_and_different_documents_have_notices(write):
    key = write("key.conll", conll(**TWO))
    response = write("response.conll", conll(a=["(1)", "(1)", "(3)"], c=["(1)", "(1)"]))
    got = roget.score(key, response, "muc")
    notice(got.warnings, "missing-documents", "1 of 2 documents", "(b); part 000")
    notice(got.warnings, "extra-documents", "1 document", "(c); part 000")
    notice(got.warnings, "different-length", "(a); part 000", "3 words", "4")
    same = roget.score(key, write("same.conll", conll(**TWO)), "muc")
    assert not {"missing-documents", "extra-documents", "different-length"} & {
        *codes(same.warnings)
    }


def test_notices_count_missed_and_spurious_mentions(write):
    key = write("key.conll", conll(**TWO))
    cells = {"a": ["(1)", "(1)", "-", "(2)"], "b": ["(1)", "-", "-", "(2)"], "c": ["(1)"]}
    got = roget.score(key, write("response.conll", conll(**cells)), "muc")
    notice(got.warnings, "missing-items", "2 of 6 gold mentions", "missed")
    # The mention in the document that gold lacks is not counted.
    notice(got.warnings, "extra-items", "1 of 5 response mentions", "spurious")
    two = {"x": write("x.conll", conll(**cells)), "y": write("y.conll", conll(**cells))}
    text = str(roget.compare(key, two, "muc", all=True))
    assert "spurious response mentions: 1 in x and 1 in y" in " ".join(text.split())


def test_invalid_span_is_named(write):
    path = write("a.jsonl", '{"doc_key": "d", "clusters": [[[0, 1], [6, "a"]]]}\n')
    with refused("broken-lines", f"{path}:1", '[6, "a"]'):
        as_labels(path)


@pytest.fixture
def pair(write):
    """A key and a response with six documents that differ from each other."""
    gold, system = {}, {}
    for n in range(6):
        gold[f"d{n}"] = ["(1)", "(1)", "(2)", "(2)", "(3)", "(3)", "-"]
        system[f"d{n}"] = [*["(1)"] * n, *["(2)"] * (6 - n), "(3)" if n % 2 else "-"]
    return write("key.conll", conll(**gold)), write("response.conll", conll(**system))


def test_report_has_intervals_of_recall_precision_and_f(pair):
    got = roget.score(*pair, ci=100)
    text = str(got)
    rows = {row.measure: row for row in got.rows}
    for line, names in (("MUC", MEASURES["muc"]), ("B-cubed", MEASURES["bcub"])):
        shown = next(row for row in text.splitlines() if row.startswith(line))
        cells = [
            f"{rows[m].value:.3f} [{rows[m].low:.3f}, {rows[m].high:.3f}]".replace("[0.", "[.")
            .replace(", 0.", ", .") for m in names
        ]  # fmt: skip
        assert all(cell in shown for cell in cells), (cells, shown)
    conll_row = next(row for row in text.splitlines() if row.startswith("CoNLL"))
    assert f"{got['conll']:.3f} [" in conll_row
    assert "[" in got.render("latex")


def test_all_shows_every_family_of_coreference_measures(pair):
    text = str(roget.score(*pair, all=True))
    firsts = [line.split()[0] for line in text.splitlines() if line.strip()]
    families = ["MUC", "B-cubed", "CEAF-e", "CoNLL", "mentions", "CEAF-m", "BLANC", "LEA"]
    assert [name for name in firsts if name in families] == families
    assert "gold mentions" in text
    assert "sparse table" not in text
    assert "big cluster" not in text


def test_mention_detection_ignores_entities(pair):
    got = roget.score(*pair)
    # Each document has 6 gold mentions, all found, and every other one has a spurious mention.
    assert (got["mention-recall"], got["mention-precision"]) == (1, 36 / 39)
    assert got["mention-f"] == pytest.approx(72 / 75)
    back = roget.score(*reversed(pair))
    assert (back["mention-recall"], back["mention-precision"]) == (36 / 39, 1)


def test_documents_are_listed_and_the_total_is_pooled(pair, write):
    got = roget.score(*pair, by="group")
    assert got["muc"] == roget.score(*pair)["muc"]
    assert "average:pooled" in got.signature
    assert len(got.by_group) == 6
    for row in got.by_group:
        n = int(row.group[2])
        cells = [*["(1)"] * n, *["(2)"] * (6 - n), "(3)" if n % 2 else "-"]
        alone = roget.score(pair[0], write("one.conll", conll(**{f"d{n}": cells})), by="group")
        [same] = [one for one in alone.by_group if one.group == row.group]
        assert row.values == same.values
        assert (row.items, row.classes, row.clusters) == (6, 3, len(set(cells) - {"-"}))
    compared = roget.compare(pair[0], {"a": pair[1], "b": pair[0]}, by="group")
    assert len(compared.by_group) == 12


@pytest.mark.parametrize("format", ["text", "latex", "markdown"])
def test_leaderboard_has_recall_precision_and_f(pair, format, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    got = roget.compare(pair[0], {"ours": pair[1], "gold": pair[0]}, title="x")
    text = got.render(format)
    rows = [line.replace("|", " ").replace("&", " ").split() for line in text.splitlines()]
    scores = roget.score(*pair)
    names = [m for key in ("muc", "bcub", "ceafe") for m in MEASURES[key]]
    expected = [f"{scores[m]:.3f}" for m in names]
    assert any(row[:10] == ["ours", *expected] for row in rows), text
    frame = {(row.system, row.measure) for row in got.rows}
    assert {("ours", m) for m in names} <= frame
