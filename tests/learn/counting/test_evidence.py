"""Examples equal those of a naive search, however the corpus is split and counted."""

from __future__ import annotations

import lzma
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from roget.core.counts import Counts
from roget.core.counts.evidence import EvidenceLine
from roget.core.io import source as sources
from roget.core.io.paths import find
from roget.errors import InputError
from roget.learn.corpus import text
from roget.learn.corpus.base import ReadContext, Tables
from roget.learn.corpus.windows import Windows
from roget.learn.counting.count import count, run
from roget.learn.counting.options import CountOptions
from support.errors import notice, refused

FICTION = Path(__file__).parents[3] / "docs/examples/fiction.conllu.xz"

SPANISH = """\
# text = Bebe del vaso y dámelo, 100 000 veces.
1\tBebe\tbeber\tVERB\t_\t_\t0\troot\t_\t_
2-3\tdel\t_\t_\t_\t_\t_\t_\t_\t_
2\tde\tde\tADP\t_\t_\t4\tcase\t_\t_
3\tel\tel\tDET\t_\t_\t4\tdet\t_\t_
4\tvaso\tvaso\tNOUN\t_\t_\t1\tobj\t_\t_
5\ty\ty\tCCONJ\t_\t_\t6\tcc\t_\t_
6-8\tdámelo\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
6\tda\tdar\tVERB\t_\t_\t1\tconj\t_\t_
7\tme\tyo\tPRON\t_\t_\t6\tiobj\t_\t_
8\tlo\tél\tNOUN\t_\t_\t6\tobj\t_\t_
9\t,\t,\tPUNCT\t_\t_\t6\tpunct\t_\tX=1|SpaceAfter=No|Y=2
9.1\tnada\tnada\tNOUN\t_\t_\t_\t_\t_\t_
10\t100 000\t100 000\tNUM\t_\t_\t11\tnummod\t_\t_
11\tveces\tvez\tNOUN\t_\t_\t6\tobj\t_\tSpaceAfter=No
12\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_

"""


def parse(text: str) -> list[tuple[int, list[list[str]]]]:
    """Sentences of CoNLL-U: the line of the first token, and the columns of all."""
    found: list[tuple[int, list[list[str]]]] = []
    rows: list[list[str]] = []
    first = 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            if rows:
                found.append((first, rows))
            rows = []
        elif line[0] != "#" and line.split("\t")[0].isdigit():
            if not rows:
                first = number
            rows.append(line.split("\t"))
    return found


def search(text: str, label: str, head: str, dependent: str) -> Counter[tuple[object, ...]]:
    """Word, context, line and both forms of a relation, found without any of our code."""
    found: Counter[tuple[object, ...]] = Counter()
    for line, rows in parse(text):
        for row in rows:
            above = rows[int(row[6]) - 1] if row[6] != "0" else None
            if above is not None and (above[3], row[7], row[3]) == (head, label, dependent):
                found[row[2].lower(), above[2].lower(), line, row[1], above[1]] += 1
    return found


def collect(counts: Counts) -> Counter[tuple[object, ...]]:
    """The same of all lines that are kept."""
    assert counts.evidence is not None
    found: Counter[tuple[object, ...]] = Counter()
    for word in counts.words:
        for one in counts.evidence.lines(word, n=10**6):
            assert one.context is not None
            found[*one.pair, one.line, one.keyword, one.text[slice(*one.context)]] += 1
    return found


@pytest.fixture(scope="module")
def fiction(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some real text, unpacked, so that it can be cut into pieces."""
    file = tmp_path_factory.mktemp("fiction") / "fiction.conllu"
    with lzma.open(FICTION, "rt", encoding="utf-8") as packed:
        text = packed.read()
    file.write_text(text[: text.index("\n\n", 1 << 19) + 2], encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("relation", "sought"),
    [("obj", ("obj", "VERB", "NOUN")), ("NOUN/amod/ADJ", ("amod", "NOUN", "ADJ"))],
)
def test_examples_equal_naive_search(
    fiction: Path, relation: str, sought: tuple[str, str, str]
) -> None:
    counts = count(
        fiction, relation=relation, odd_words=True, repair=False, evidence=10**6, evidence_size=0
    )
    naive = search(fiction.read_text(encoding="utf-8"), *sought)
    assert collect(counts) == naive
    assert sum(naive.values()) == counts.total > 300
    assert counts.evidence is not None
    lines = counts.evidence.lines(counts.words[0], n=99)
    assert {line.source for line in lines} == {"fiction.conllu"}


def test_examples_contain_the_sentence(fiction: Path) -> None:
    counts = count(fiction, relation="obj", evidence=10**6, evidence_size=0)
    texts = {
        line: " ".join(row[1] for row in rows)
        for line, rows in parse(fiction.read_text(encoding="utf-8"))
    }
    assert counts.evidence is not None
    for word in counts.words[:200]:
        for one in counts.evidence.lines(word, n=100):
            assert one.text.replace(" ", "") == texts[one.line].replace(" ", "")
            assert one.left + one.keyword + one.right == one.text


def test_number_of_examples_per_pair_is_limited(fiction: Path) -> None:
    counts = count(fiction, evidence=2, evidence_size=0)
    full = count(fiction, evidence=10**6, evidence_size=0)
    assert counts == full
    assert counts.evidence is not None
    some, every = collect(counts), collect(full)
    assert some <= every
    per_pair: Counter[tuple[object, ...]] = Counter()
    seen: Counter[tuple[object, ...]] = Counter()
    for table, sums in ((some, per_pair), (every, seen)):
        for key, n in table.items():
            sums[key[:2]] += n
    assert per_pair == Counter({pair: min(n, 2) for pair, n in seen.items()})


def files(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.glob("*.parquet")}


def test_examples_do_not_depend_on_pieces_and_processes(
    fiction: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count(fiction, evidence=2, evidence_size=1, output=tmp_path / "whole")
    monkeypatch.setattr("roget.learn.counting.plan.PIECE", 100_000)
    count(fiction, evidence=2, evidence_size=1, output=tmp_path / "cut")
    count(fiction, evidence=2, evidence_size=1, output=tmp_path / "two", processes=2)
    assert files(tmp_path / "cut") == files(tmp_path / "two")
    assert files(tmp_path / "cut") == files(tmp_path / "whole")
    assert len(sources.Source(str(fiction), fiction.stat().st_size).pieces(100_000)) > 3


def test_examples_do_not_depend_on_interruption(
    fiction: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roget.learn.counting.plan.PIECE", 150_000)
    monkeypatch.setattr("roget.learn.counting.plan.BUNDLE", 1)
    asked = CountOptions(evidence=1, processes=1)
    run(fiction, tmp_path / "once", asked)

    class Stop(Exception):
        pass

    def stop(progress: object) -> None:
        stop.calls += 1  # type: ignore[attr-defined]
        if stop.calls == 3:  # type: ignore[attr-defined]
            raise Stop

    stop.calls = 0  # type: ignore[attr-defined]
    with pytest.raises(Stop):
        run(fiction, tmp_path / "again", asked, progress=stop)
    assert run(fiction, tmp_path / "again", asked).reused
    assert files(tmp_path / "once") == files(tmp_path / "again")


def test_memory_of_examples_is_bounded(fiction: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = count(fiction, evidence=2, evidence_size=0)
    monkeypatch.setattr("roget.learn.counting.examples.BUFFER", 4000)
    monkeypatch.setattr("roget.core.io.source.BLOCK", 100_000)
    assert collect(count(fiction, evidence=2, evidence_size=0)) == collect(one)


def test_words_written_together_are_located(tmp_path: Path) -> None:
    (tmp_path / "es.conllu").write_text(SPANISH, encoding="utf-8")
    counts = count(tmp_path / "es.conllu", relation="VERB/obj/NOUN", evidence=3)
    assert counts.evidence is not None
    (line,) = counts.evidence.lines("él")
    assert line == EvidenceLine(
        "es.conllu", 2, "Bebe del vaso y dámelo,100 000 veces.", (16, 22), (16, 22), ("él", "dar")
    )
    (line,) = counts.evidence.lines("vez", "dar")
    assert (line.keyword, line.left[-8:]) == ("veces", "100 000 ")


def test_derived_counts_keep_examples(fiction: Path, tmp_path: Path) -> None:
    counts = count(fiction, relation="obj", evidence=3)
    word, context = map(str, next((a, b) for a, b, n in counts.rows() if n > 2))
    assert counts.evidence is not None
    lines = counts.evidence.lines(word, context, 99)
    assert lines
    for made in (counts.top(50), counts.min_count(3), counts.merge(counts.top(3)), counts.ranked()):
        assert made.evidence is not None
        assert set(lines) <= set(made.evidence.lines(word, context, 99))
    turned = counts.T.evidence
    assert turned is not None
    assert [(one.text, one.word, one.context) for one in turned.lines(context, word, 99)] == [
        (one.text, one.context, one.word) for one in lines
    ]
    counts.top(50).write(tmp_path / "top")
    again = Counts.read(tmp_path / "top")
    assert again.evidence is not None
    assert again.evidence.lines(word, context, 99) == lines
    assert not again.evidence.lines(str(counts.words[-1]))
    assert len(again.evidence.load().text) < len(counts.evidence.load().text)


def test_changed_examples_file_is_named(fiction: Path, tmp_path: Path) -> None:
    count(fiction, relation="obj", evidence=1, output=tmp_path / "counts")
    file = tmp_path / "counts/evidence.parquet"
    data = file.read_bytes()
    file.write_bytes(data[:100] + b"?" + data[101:])
    with pytest.raises(InputError, match=r"evidence\.parquet"):
        Counts.read(tmp_path / "counts")


def test_examples_are_sorted_by_left_or_right_context(fiction: Path) -> None:
    kept = count(fiction, relation="obj", evidence=9, evidence_size=0).evidence
    assert kept is not None
    right = [one.right.casefold().split() for one in kept.lines("hand", n=30, sort="right")]
    left = [one.left.casefold().split()[::-1] for one in kept.lines("hand", n=30, sort="left")]
    places = [one.line for one in kept.lines("hand", n=30)]
    assert [right, left, places] == [sorted(right), sorted(left), sorted(places)]
    assert len(places) == len(right) == len(left) > 5


def test_tables_have_no_examples(tmp_path: Path) -> None:
    (tmp_path / "t.tsv").write_text("word\tcontext\tcount\na\tb\t3\n")
    with refused("conflicting-options", "evidence", "table"):
        count(tmp_path / "t.tsv", evidence=3)
    assert count(tmp_path / "t.tsv").evidence is None


def test_table_output_reports_that_it_has_no_examples(fiction: Path, tmp_path: Path) -> None:
    done = run(fiction, tmp_path / "t.tsv", CountOptions(relation="obj", evidence=1))
    notice(done.notes, "examples", "t.tsv")


def group(lines: list[EvidenceLine]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for line in lines:
        found[line.pair[1]] += 1
    return found


def test_examples_of_a_word_cover_as_many_contexts_as_possible(fiction: Path) -> None:
    kept = count(fiction, relation="obj", evidence=5, evidence_size=0).evidence
    assert kept is not None
    every = group(kept.lines("hand", n=999))
    assert len(group(kept.lines("hand", n=len(every)))) == len(every)


PROSE = """\
The old farmer sold his red car — “it’s slow,” he said… His wife bought
a new car. Mr. Hu drives the car to town!

The co\xadoperative farmers don’t sell milk. They drink cold water, and
they buy bread. U.S. farmers eat 3.5 loaves a day.
"""


def test_examples_of_plain_text_windows_are_located(tmp_path: Path) -> None:
    (tmp_path / "prose.txt").write_text(PROSE * 10, encoding="utf-8")
    counts = count(tmp_path / "prose.txt", window=2, evidence=10**6, evidence_size=0)
    found = collect(counts)
    assert sum(found.values()) == counts.total
    written = (PROSE * 10).split("\n")
    assert counts.evidence is not None
    for word, context, line, keyword, beside in found:
        plain = str(keyword).lower().replace("’", "'").replace("\xad", "")
        assert plain == word
        assert str(beside).lower().replace("’", "'").replace("\xad", "") == context
        # A sentence may go on, but not begin, after this line.
        assert keyword in " ".join(written[int(str(line)) - 1 : int(str(line)) + 2])
    (line, *_) = counts.evidence.lines("cooperative", "farmers")
    assert (line.line, line.text) == (4, "The co\xadoperative farmers don’t sell milk.")
    car = {one.line % 5 for one in counts.evidence.lines("car", "new", 999)}
    assert car == {1}


def test_examples_of_windows_equal_naive_search(fiction: Path, tmp_path: Path) -> None:
    sentences = [
        [row[2] for row in rows if row[2].isalpha() and row[2].isascii()]
        for _, rows in parse(fiction.read_text(encoding="utf-8"))
    ]
    sentences = [words for words in sentences if words][:40]
    (tmp_path / "some.txt").write_text(
        "\n".join(" ".join(words) for words in sentences), encoding="utf-8"
    )
    naive: Counter[tuple[object, ...]] = Counter()
    for line, words in enumerate(sentences, 1):
        for i, word in enumerate(words):
            for j in range(max(0, i - 2), min(len(words), i + 3)):
                if i != j:
                    naive[word.lower(), words[j].lower(), line, word, words[j]] += 1
    counts = count(tmp_path / "some.txt", window=2, lines=True, evidence=10**6, evidence_size=0)
    assert collect(counts) == naive


def test_examples_of_terms_are_located(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("The prime minister of old left.\n", encoding="utf-8")
    tables = Tables()
    (tokens,) = text.read(find([tmp_path / "t.txt"], [])[0], tables, ReadContext(texts=True))
    draw = Windows(1, "right", tables, function_words=["the", "of"], terms=["prime minister"])
    places = draw(tokens).places
    assert places is not None
    # prime_minister old, old left
    assert [(one.tolist()) for one in places.word] == [[1, 4], [2, 4]]
    assert [(one.tolist()) for one in places.context] == [[4, 5], [4, 5]]


def test_examples_of_tagged_text_are_located(tmp_path: Path) -> None:
    pytest.importorskip("HanTa")
    (tmp_path / "prose.txt").write_text(PROSE * 10, encoding="utf-8")
    counts = count(tmp_path / "prose.txt", tagger="hanta", evidence=10**6, evidence_size=0)
    found = collect(counts)
    assert sum(found.values()) == counts.total
    examples = {key[:2] + key[3:] for key in found}
    assert ("farmer", "~amod:cooperative", "farmers", "co\xadoperative") in examples
    assert ("milk", "obj:sell", "milk", "sell") in examples
    assert ("car", "obj:buy", "car", "bought") in examples
    assert {int(str(key[2])) % 5 for key in found if key[0] == "milk"} == {4}
    assert counts.evidence is not None
    assert counts.evidence.lines("milk")[0].text == "The co\xadoperative farmers don’t sell milk."


def test_size_of_examples_is_limited(fiction: Path, tmp_path: Path) -> None:
    sizes: dict[float, float] = {}
    for times in (0, 0.5, 1):
        place = tmp_path / str(times)
        counts = count(fiction, evidence=3, evidence_size=times, output=place)
        names = {one.name: one.stat().st_size for one in place.glob("*.parquet")}
        kept = sum(names.pop(name) for name in ("sentences.parquet", "evidence.parquet"))
        sizes[times] = kept / sum(names.values())
        if times == 0.5:
            assert counts.evidence is not None
            result = counts.evidence.load()
            totals = counts.word_totals[result.row], counts.context_totals[result.column]
            assert min(map(min, totals)) > 1
    # Small tables have heads that no estimate knows of.
    assert sizes[0.5] < 0.7
    assert sizes[0.5] < sizes[1] < 1.2 < sizes[0]
