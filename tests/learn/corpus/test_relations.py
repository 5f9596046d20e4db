"""Relations: grammar of patterns, names of slots, and pairs against naive extraction."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.corpus.parsed_twins import pairs, parsed, sentences
from roget.core.io import source as sources
from roget.core.io.paths import find
from roget.learn.corpus import conllu, relations
from roget.learn.corpus.base import ReadContext, Tables, Tokens
from roget.learn.corpus.pair_extraction import Extractor
from roget.learn.corpus.relations import Relation, parse
from support.errors import refused

# Old friends of mine live in a house outside of town because of rent they pay.
FRIENDS = """\
1 Old old ADJ 2 amod
2 friends friend NOUN 5 nsubj
3 of of ADP 4 case
4 mine mine NOUN 2 nmod
5 live live VERB 0 root
6 in in ADP 8 case
7 a a DET 8 det
8 house house NOUN 5 obl
9 outside outside ADP 11 case
10 of of ADP 11 case
11 town town NOUN 8 nmod
12 because because ADP 14 case
13 of of ADP 12 fixed
14 rent rent NOUN 5 obl
15 they they PRON 16 nsubj
16 pay pay VERB 14 acl:relcl
17 money money NOUN 16 obj
"""


def conllu_text(short):
    """CoNLL-U from lines of id, form, lemma, UPOS, head and label."""
    rows = [row.split() for row in short.splitlines()]
    return "".join(f"{i}\t{f}\t{w}\t{t}\t_\t_\t{h}\t{d}\t_\t_\n" for i, f, w, t, h, d in rows)


def count(path, names, tags=False):
    """How often each (word, slot, context) is drawn from a file."""
    tables, found = Tables(), Counter()
    extractor = Extractor(parse(names), tables, tags)
    for tokens in conllu.read(find([path], [])[0], tables, ReadContext()):
        drawn = extractor(tokens)
        assert {a.dtype for a in (drawn.word, drawn.slot, drawn.context)} == {np.dtype(np.int32)}
        columns = (
            (drawn.word, tables.words),
            (drawn.slot, tables.slots),
            (drawn.context, tables.words),
        )
        texts = ([strings.texts[i] for i in ids.tolist()] for ids, strings in columns)
        found.update(zip(*texts, strict=True))
    return found


@pytest.fixture
def friends(tmp_path):
    path = tmp_path / "friends.conllu"
    path.write_text(conllu_text(FRIENDS))
    return path


def test_each_named_relation_gives_its_pairs(friends):
    expected = {
        "obj": [("money", "", "pay")],
        "subj": [("friend", "", "live")],
        "amod": [("old", "", "friend")],
        "obl:prep": [("house", "in", "live"), ("rent", "because_of", "live")],
        "nmod:prep": [("mine", "of", "friend"), ("town", "outside_of", "house")],
        "~obj": [("pay", "", "money")],
        "~obl:prep": [("live", "in", "house"), ("live", "because_of", "rent")],
    }
    assert {name: sorted(count(friends, [name])) for name in expected} == {
        name: sorted(pairs) for name, pairs in expected.items()
    }


def spelt_out(names):
    """The patterns that presets stand for, and other names as they are."""
    found = []
    for name in names:
        meant = relations.NAMED.get(name, name)
        found += [name] if isinstance(meant, str) else spelt_out(meant)
    return found


def test_presets_give_their_pairs(friends):
    wanted = {
        "nouns": [
            ("friend", "subj", "live"),
            ("friend", "~amod", "old"),
            ("friend", "~nmod:of", "mine"),
            ("house", "obl:in", "live"),
            ("house", "~nmod:outside_of", "town"),
            ("mine", "nmod:of", "friend"),
            ("money", "obj", "pay"),
            ("rent", "obl:because_of", "live"),
            ("town", "nmod:outside_of", "house"),
        ],
        "verbs": [
            ("live", "~obl:because_of", "rent"),
            ("live", "~obl:in", "house"),
            ("live", "~subj", "friend"),
            ("pay", "~obj", "money"),
        ],
        "adjectives": [("old", "amod", "friend")],
        "names": [],
    }
    every = Counter()
    for name, expected in wanted.items():
        assert sorted(count(friends, [name]).elements()) == expected
        every.update(expected)
    assert count(friends, ["all"]) == every
    assert count(friends, ["~nouns"])["pay", "~obj", "money"] == 1
    assert count(friends, ["~nouns"])["old", "amod", "friend"] == 1


# Bread and cheese were eaten by cats, in towns, villages or at sea; cats like milk and Edam.
FOLDED = """\
1 Bread bread NOUN 5 nsubj:pass
2 and and CCONJ 3 cc
3 cheese cheese NOUN 1 conj
4 were be AUX 5 aux:pass
5 eaten eat VERB 0 root
6 by by ADP 7 case
7 cats cat NOUN 5 obl:agent
8 in in ADP 9 case
9 towns town NOUN 5 obl
10 villages village NOUN 9 conj
11 at at ADP 13 case
12 big big ADJ 13 amod
13 sea sea NOUN 10 conj
14 cats cat NOUN 15 nsubj
15 like like VERB 5 parataxis
16 milk milk NOUN 15 dobj
17 Edam Edam PROPN 16 conj
"""


def test_passives_agents_and_conjuncts_are_resolved(tmp_path):
    path = tmp_path / "folded.conllu"
    path.write_text(conllu_text(FOLDED))
    found = count(path, ["nouns"])
    both = [("bread", "cheese"), ("town", "village"), ("village", "sea"), ("milk", "edam")]
    assert found == Counter(
        [("bread", "obj", "eat"), ("cheese", "obj", "eat"), ("milk", "obj", "like"),
         ("cat", "subj", "eat"), ("cat", "subj", "like"), ("sea", "~amod", "big"),
         ("town", "obl:in", "eat"), ("village", "obl:in", "eat"), ("sea", "obl:at", "eat"),
         *[(a, "conj", b) for a, b in both], *[(b, "conj", a) for a, b in both if b != "edam"]]
    )  # fmt: skip
    assert found == pairs(sentences(conllu_text(FOLDED)), spelt_out(["nouns"]))
    assert count(path, ["names"]) == {("edam", "conj", "milk"): 1}
    assert count(path, ["x=VERB/obj,dobj/*"]) == {("milk", "x", "like"): 1}


def test_patterns_determine_slots(friends):
    found = count(friends, ["*/nsubj,obj/*", "VERB/n*/NOUN", "~*/nmod+case/*", "~*/amo?/*"])
    assert sorted(found) == [
        ("friend", "nsubj", "live"),
        ("friend", "nsubj,obj", "live"),
        ("friend", "~amod", "old"),
        ("friend", "~nmod:of", "mine"),
        ("house", "~nmod:outside_of", "town"),
        ("money", "nsubj,obj", "pay"),
        ("they", "nsubj,obj", "pay"),
    ]


def test_pair_counts_once_in_each_relation(friends):
    found = count(friends, ["obj", "VERB,AUX/obj/NOUN", "VERB/*/NOUN"])
    assert found["money", "obj", "pay"] == 3


def test_repeated_relation_counts_once(friends):
    assert count(friends, ["obj", "VERB/obj/NOUN"]) == {("money", "", "pay"): 1}
    assert count(friends, ["all", "nouns"]) == count(friends, ["all"])


def test_tags_are_appended_on_request(friends):
    assert count(friends, ["obl:prep"], tags=True) == {
        ("house/NOUN", "in", "live/VERB"): 1,
        ("rent/NOUN", "because_of", "live/VERB"): 1,
    }


def test_tokens_without_word_tag_or_label_give_no_pairs(tmp_path):
    path = tmp_path / "missing.conllu"
    rows = ["1 _ _ NOUN 2 obj", "2 eat eat VERB 0 root", "3 it it _ 2 obj", "4 x x NOUN 2 _",
            "5 _ _ VERB 2 obj", "6 y y NOUN 5 obj", "7 _ _ ADP 3 case", "8 z z ADP 7 fixed",
            "9 u u NOUN _ obj"]  # fmt: skip
    path.write_text(conllu_text("\n".join(rows)))
    assert count(path, ["*/obj/*"]) == {("it", "", "eat"): 1}
    assert count(path, ["*/obj/*"], tags=True) == {("it", "", "eat/VERB"): 1}
    assert count(path, ["obj"]) == count(path, ["*/obj+case/*"]) == {}
    assert count(path, ["*/*/*"]) == {("it", "", "eat"): 1}


def test_only_adpositions_are_prepositions(tmp_path):
    path = tmp_path / "case.conllu"
    path.write_text(conllu_text("1 's 's PART 2 case\n2 dog dog NOUN 3 obl\n3 run run VERB 0 root"))
    assert count(path, ["obl:prep"]) == {}
    assert count(path, ["VERB/obl/NOUN"]) == {("dog", "", "run"): 1}


def test_plain_tokens_have_no_relations():
    tokens = Tokens(np.array([0, 1]), np.zeros(1, np.int32))
    with refused("not-parsed", "UPOS tags", "heads", "labels", "--window"):
        Extractor(parse(["obj"]), Tables())(tokens)


def test_empty_batch_gives_no_pairs(friends):
    tables = Tables()
    (tokens,) = conllu.read(find([friends], [])[0], tables, ReadContext())
    for tags in (False, True):
        drawn = Extractor(parse(["all", "*/*/*"]), tables, tags)(tokens.first(0))
        assert [len(drawn.word), len(drawn.slot), len(drawn.context)] == [0, 0, 0]


def test_parse_returns_relations_of_patterns():
    assert parse(["~VERB,AUX/obl*,iobj+case/*"]) == (
        Relation("~obl*,iobj", ("VERB", "AUX"), ("obl*", "iobj"), (), case=True, transposed=True),
    )
    assert parse(["obj"]) == parse(["VERB/obj/NOUN"]) == parse([" obj "])
    assert parse(["a=~*/obl,!obl:x+conj+case/*"]) == (
        Relation("a", (), ("obl", "!obl:x"), (), True, transposed=True, conjuncts=True, named=True),
    )
    assert {one.name for one in parse(["nouns"])} < {one.name for one in parse(["all"])}


def test_unknown_relations_suggest_nearest_name():
    with refused("unknown-name", "'obl:pre'", "obl:prep or"):
        parse(["obj", "obl:pre"])
    with refused("unknown-name", "obj?"):
        parse(["~~obj"])
    with refused("unknown-name", "adjectives, all, amod, names, nmod:"):
        parse(["quux"])


@pytest.mark.parametrize(
    ("pattern", "values"),
    [
        ("VERB/obj", ["2", "HEAD/label/DEPENDENT"]),
        ("VERB/a/b/NOUN", ["4"]),
        ("VRB/obj/NOUN", ["'VRB'", "ADJ, ADP"]),
        ("VERB/obj/noun", ["'noun'"]),
        ("VERB//NOUN", ["label"]),
        ("VERB/obj,/NOUN", ["label"]),
        ("VERB/+case/NOUN", ["label"]),
        ("VERB/obl+prep/NOUN", ["'+prep'", "+case"]),
        ("/obj/NOUN", ["''"]),
        ("VERB,*/obj/NOUN", ["'*'"]),
        ("VERB/obj,!/NOUN", ["label"]),
        ("VERB/obj+case+x/NOUN", ["'+x'", "+case or +conj"]),
        ("VERB/obl+case+bare/NOUN", ["+case", "+bare"]),
        ("=VERB/obj/NOUN", ["="]),
    ],
)
def test_invalid_patterns_are_refused(pattern, values):
    with refused("invalid-relation", pattern.removeprefix("="), *values):
        parse([pattern])


def test_empty_list_of_relations_is_refused():
    with refused("invalid-relation", "obj, subj"):
        parse([])


@st.composite
def treebanks(draw):
    """Sentences of a few words, tags and labels, so that every rule is met often."""
    text, labels = [], ["obj", "obl", "nmod", "case", "case", "fixed", "obl:x", "conj", "conj"]
    for size in draw(st.lists(st.integers(1, 8), max_size=6)):
        for i in range(1, size + 1):
            word = draw(st.sampled_from(["a", "b", "c", "_"]))
            tag = draw(st.sampled_from(["NOUN", "VERB", "ADP", "ADP", "ADJ", "PART", "_"]))
            label = draw(st.sampled_from(labels))
            head = draw(st.integers(0, size))
            text.append(f"{i}\t{word}\t{word}\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n")
        text.append("\n")
    return "".join(text)


NAMES = ["obj", "~obj", "obl:prep", "nouns", "all", "*/*/*", "NOUN,VERB/ob*+case/*",
         "*/obl,obj/ADP", "a=*/obl,obj+conj/*", "~NOUN/ob*,!obl:x+case+conj/*",
         "a=~*/conj/*", "*/obl,nmod+bare/*", "~b=*/nmod+bare+conj/*"]  # fmt: skip


@given(treebanks(), st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True),
       st.booleans(), st.integers(30, 300))  # fmt: skip
def test_relations_equal_naive_extraction(tmp_path_factory, text, names, tags, block):
    path = tmp_path_factory.getbasetemp() / "random_trees.conllu"
    path.write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "BLOCK", block)
        assert count(path, names, tags) == pairs(sentences(text), spelt_out(names), tags)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("amalgum/news.conllu.gz", marks=pytest.mark.slow),
        "ud-english/en_ewt-dev.conllu",
    ],
)
def test_relations_of_real_text_equal_naive_extraction(shared_data, name):
    path = shared_data / name
    found = parsed(path)
    for names in (["obj"], ["obj", "obl:prep"], ["nouns"]):
        assert count(path, names) == pairs(found, spelt_out(names))
