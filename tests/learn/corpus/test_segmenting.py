"""Segmentation of scripts without blanks."""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from itertools import pairwise, product
from math import log
from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

import roget
from roget.learn.corpus import text as plain
from roget.learn.corpus.segmenting import (
    RUNS,
    LearntSegmenter,
    _Merging,
    cut,
    measure_spaceless_share,
    place,
)
from roget.learn.counting.count import run
from roget.learn.counting.options import CountOptions
from support.errors import notice, refused


def description(chain, spelling):
    """Nats of a text, given as stretches of words, and of half its lexicon."""
    counts = Counter(word for words in chain for word in words)
    total = counts.total()
    text = -sum(n * log(n / total) for n in counts.values())
    lexicon = sum(sum(spelling[unit] for unit in word) + log(2) for word in counts if len(word) > 1)
    return text + lexicon / 2


def merge_naively(runs):
    """Join the two neighbours that shorten the description most, and describe all of it anew."""
    chain = [list(one) for one in runs]
    units = Counter("".join(runs))
    spelling = {unit: log(units.total() / n) for unit, n in units.items()}
    while True:
        now = description(chain, spelling)
        best = (now - 1e-9, chain)
        for pair in {two for words in chain for two in pairwise(words)}:
            if len("".join(pair)) > 4:
                continue
            tried, joined = [], 0
            for words in chain:
                made, i = [], 0
                while i < len(words):
                    if tuple(words[i : i + 2]) == pair:
                        made.append("".join(pair))
                        joined += 1
                        i += 2
                    else:
                        made.append(words[i])
                        i += 1
                tried.append(made)
            if joined > 1:
                best = min(best, (description(tried, spelling), tried))
        if best[1] is chain:
            return description(chain, spelling)
        chain = best[1]


@given(st.lists(st.text("天地人水火", min_size=1, max_size=9), min_size=1, max_size=8))
def test_merging_words_equals_naive_search_for_shortest_description(runs):
    merging = _Merging(runs)
    merging.run()
    chain, i = [], 0
    for one in runs:
        words, end = [], i + len(one)
        while i < end:
            words.append(merging.words[i])
            i = merging.after[i]
        assert "".join(words) == one
        chain.append(words)
        i = end + 1
    units = Counter("".join(runs))
    spelling = {unit: log(units.total() / n) for unit, n in units.items()}
    assert +merging.counts == Counter(word for words in chain for word in words)
    # Ties may be broken otherwise; the first join of both is as good.
    plain = description([list(one) for one in runs], spelling)
    ours, naive = description(chain, spelling), merge_naively(runs)
    assert ours <= plain + 1e-9
    assert (ours < plain - 1e-9) == (naive < plain - 1e-9)


@given(st.lists(st.text("天地人水火กขฃ", min_size=1, max_size=12), min_size=1, max_size=6))
def test_segments_concatenate_to_the_text(runs):
    segment = LearntSegmenter(LearntSegmenter.learn(runs))
    for one in [*runs, "木人"]:
        assert "".join(segment(one)) == one


def spans(words):
    found, at = set(), 0
    for word in words:
        if RUNS.fullmatch(word):
            found.add((at, at + len(word)))
        at += len(word)
    return found


def test_chinese_segmentation_is_accurate_against_gold(shared_data):
    path = shared_data / "ud-other/zh_gsdsimp-ud-dev.conllu.gz"
    gold = [
        [line.split("\t")[1] for line in part.split("\n") if line[:1].isdigit()]
        for part in gzip.decompress(path.read_bytes()).decode().split("\n\n")
    ]
    texts = ["".join(words) for words in gold]
    learnt = LearntSegmenter(
        LearntSegmenter.learn(one for text in texts for one in RUNS.findall(text))
    )

    def score(segment):
        right = ours = theirs = 0
        for words, text in zip(gold, texts, strict=True):
            found = spans(cut(text, list, segment))
            right += len(found & spans(words))
            ours, theirs = ours + len(found), theirs + len(spans(words))
        return 2 * right / (ours + theirs)

    assert score(learnt) >= 0.65
    assert score(learnt) >= 1.9 * score(list)


CHINESE = "".join(
    f"{who}{does}{what}。"
    for who, does, what in product(
        "我你他她谁", "喝买卖要看", ["牛奶", "红茶", "咖啡", "果汁", "啤酒"]
    )
)


def test_chinese_text_is_segmented_and_counted(tmp_path):
    path = tmp_path / "tea.txt"
    path.write_text(f"{CHINESE} OK, tea 2.5!", encoding="utf-8")
    summary = run(path, tmp_path / "plain.counts", CountOptions(window=1))
    notice(summary.notes, "segmentation", "--segment learnt")
    found = run(path, tmp_path / "words.counts", CountOptions(window=1, segment="learnt"))
    notice(found.notes, "segmentation", "牛奶", "红茶")
    counts = roget.Counts.read(tmp_path / "words.counts")
    assert counts.count("牛奶", "喝") == 5
    assert counts.count("tea", "2.5") == 1
    assert counts.provenance["language"] == "zh"
    assert dict(counts.provenance["recipe"]["reading"]["lexicon"])["牛奶"] == 25
    with refused("conflicting-options", "segment", "hanta"):
        roget.count(path, tagger="hanta", model="english", segment="learnt")


def test_jieba_is_used_if_installed(tmp_path, monkeypatch):
    path = tmp_path / "tea.txt"
    path.write_text(CHINESE, encoding="utf-8")
    monkeypatch.setitem(sys.modules, "rjieba", None)
    with refused("missing-extra", "rjieba"):
        roget.count(path, window=1, segment="jieba")
    known = SimpleNamespace(
        cut=lambda run: [run[:1], *([run[1:2]] if len(run) > 1 else []), run[2:]],
    )
    monkeypatch.setitem(sys.modules, "rjieba", known)
    assert roget.count(path, window=1, segment="jieba").count("牛奶", "喝") == 5


def test_example_sentences_contain_segmented_words(tmp_path):
    path = tmp_path / "tea.txt"
    path.write_text(f"{CHINESE}\n\nMore tea.", encoding="utf-8")
    counts = roget.count(path, window=1, segment="learnt", evidence=2)
    lines = counts.evidence.lines("牛奶", n=3)
    assert lines
    assert {line.text[slice(*line.word)] for line in lines} == {"牛奶"}
    text, learnt = (
        path.read_text("utf-8"),
        LearntSegmenter(LearntSegmenter.learn(RUNS.findall(CHINESE))),
    )
    spans = place(text, plain.find_words, learnt)
    assert [text[a:b].lower() for a, b in spans] == [
        word for word in cut(text, plain.words, learnt) if word != "\n"
    ]


def test_scripts_without_blanks_are_recognised():
    assert measure_spaceless_share("我喝 tea.") == 0.4
    assert measure_spaceless_share("") == 0.0
    assert RUNS.findall("東京タワーへ行く ok ไทย") == ["東京", "タワー", "へ", "行", "く", "ไทย"]
