"""Generated tables are written in each format and read back unchanged."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roget.scoring.labels import align, as_labels

# Any text that has no blank at its ends and none of what parts cells, begins a comment or
# looks like JSON.
plain = st.text(
    st.characters(
        codec="utf-8", exclude_categories=("Cc", "Cs", "Z"), exclude_characters="/\"'![{\ufeff"
    ),
    min_size=1,
    max_size=5,
).filter(lambda text: text == text.strip() and not text.isspace())
quoted = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\0\ufeff"), min_size=1, max_size=5
).filter(lambda text: text == text.strip())
few = settings(max_examples=max(settings.default.max_examples // 3, 10))
"""Every example writes a file, so there are fewer than elsewhere."""

weights = st.integers(1, 20).map(lambda n: n / 4)


def tables(text):
    """(group, item) → {label: weight}."""
    answer = st.dictionaries(text, weights, min_size=1, max_size=3)
    return st.dictionaries(st.tuples(text, text), answer, min_size=1, max_size=8)


def normalised(table):
    """What reading should give: weights that sum to 1."""
    return {
        key: {label: pytest.approx(w / sum(answer.values())) for label, w in answer.items()}
        for key, answer in table.items()
    }


def long_rows(table):
    return [
        [item, label, repr(weight), group]
        for (group, item), answer in table.items()
        for label, weight in answer.items()
    ]


def as_key(table):
    return "".join(
        " ".join([group, item, *(f"{label}/{weight}" for label, weight in answer.items())]) + "\n"
        for (group, item), answer in table.items()
    )


def as_tsv(table):
    rows = [["item", "label", "weight", "group"], *long_rows(table)]
    return "".join("\t".join(row) + "\n" for row in rows)


def as_csv(table):
    stream = io.StringIO()
    csv.writer(stream).writerows([["item", "label", "weight", "group"], *long_rows(table)])
    return stream.getvalue()


def as_jsonl(table):
    return "".join(
        json.dumps({"group": group, "item": item, "label": answer}) + "\n"
        for (group, item), answer in table.items()
    )


def read_back(content, form):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{form}"
        path.write_text(content, encoding="utf-8", newline="")
        return as_labels(path, labels=form, gold=True)


@pytest.mark.parametrize("form", ["key", "tsv", "csv", "jsonl"])
@few
@given(tables(plain))
def test_weighted_tables_are_read_back_from_text_formats(form, answers, table):
    content = {"key": as_key, "tsv": as_tsv, "csv": as_csv, "jsonl": as_jsonl}[form](table)
    labels = read_back(content, form)
    assert answers(labels) == normalised(table)
    assert labels.weighted == any(len(answer) > 1 for answer in table.values())


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@few
@given(tables(quoted))
def test_quoting_formats_accept_any_text(form, answers, table):
    content = {"csv": as_csv, "jsonl": as_jsonl}[form](table)
    assert answers(read_back(content, form)) == normalised(table)


@few
@given(tables(plain))
def test_weighted_tables_are_read_back_from_parquet(answers, table):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    items, labels, shares, groups = zip(*long_rows(table), strict=True)
    columns = {"item": items, "label": labels, "weight": map(float, shares), "group": groups}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        parquet.write_table(pyarrow.table({k: list(v) for k, v in columns.items()}), path)
        assert answers(as_labels(path)) == normalised(table)


@few
@given(st.lists(plain | st.just(""), min_size=1))
def test_labels_are_read_back_from_lines(labels):
    if not labels[-1]:
        labels.append("x")
    result = read_back("\n".join(labels), "lines") if all(labels) else None
    if result is None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a"
            path.write_text("\n".join(labels), encoding="utf-8", newline="")
            result = as_labels(path, labels="lines")
    found = ["" if code < 0 else result.names[code] for code in result.codes.tolist()]
    assert found == labels


@pytest.mark.parametrize("form", ["key", "tsv", "csv"])
@few
@given(table=tables(plain), random=st.randoms())
def test_order_of_lines_does_not_matter(form, answers, table, random):
    content = {"key": as_key, "tsv": as_tsv, "csv": as_csv}[form](table)
    whole = read_back(content, form)
    lines = content.splitlines(keepends=True)
    header, rows = ([], lines) if form == "key" else (lines[:1], lines[1:])
    random.shuffle(rows)
    moved = read_back("".join(header + rows), form)
    assert answers(moved) == normalised(table)
    aligned = align(whole, moved, missing="error")
    assert aligned.system.items == whole.items
    for row in range(len(whole)):
        assert _answer(aligned.system, row) == pytest.approx(_answer(whole, row))


@few
@given(tables(plain))
def test_two_formats_of_one_table_are_equal(table):
    """Two formats of one table agree item by item after alignment."""
    key, tsv = read_back(as_key(table), "key"), read_back(as_tsv(table), "tsv")
    aligned = align(key, tsv, missing="error")
    assert (aligned.missing, aligned.extra) == (0, 0)
    for row in range(len(aligned.gold)):
        assert _answer(aligned.gold, row) == pytest.approx(_answer(aligned.system, row))


def _answer(labels, row):
    if labels.indptr is None:
        return {labels.label(int(labels.codes[row])): 1.0}
    at = range(labels.indptr[row], labels.indptr[row + 1])
    return {labels.label(int(labels.codes[e])): float(labels.weights[e]) for e in at}
