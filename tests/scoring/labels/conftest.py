"""Fixtures and helpers of the tests of label reading."""

from __future__ import annotations

import pytest


@pytest.fixture
def write(tmp_path):
    """A function that writes text or bytes to a new file and returns its path."""

    def writer(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writer


@pytest.fixture(scope="session")
def answers():
    """A function that spells labels out: (group, item) → {label: weight}."""

    def spelled(labels):
        result = {}
        for row in range(len(labels)):
            item = row if labels.items is None else labels.items[row]
            group = None if labels.groups is None else labels.group_names[labels.groups[row]]
            if labels.indptr is None:
                code = int(labels.codes[row])
                answer = {} if code < 0 else {labels.label(code): 1.0}
            else:
                at = range(labels.indptr[row], labels.indptr[row + 1])
                answer = {labels.label(int(labels.codes[e])): float(labels.weights[e]) for e in at}
            assert (group, item) not in result
            result[group, item] = answer
        return result

    return spelled
