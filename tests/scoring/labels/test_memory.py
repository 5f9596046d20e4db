"""Labels from objects in memory."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from roget.scoring.labels import Labels, as_labels
from support.errors import refused


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a", "b"],
        ("b", "a", "b"),
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], dtype=object),
        iter(["b", "a", "b"]),
        (letter for letter in "bab"),
    ],
)
def test_sequences_are_read_as_labels(values):
    labels = as_labels(values)
    assert [labels.label(code) for code in labels.codes] == ["b", "a", "b"]
    assert (labels.items, labels.weighted, labels.complete) == (None, False, True)


def test_ranges_and_buffers_are_read_as_labels():
    assert as_labels(range(3)).codes.tolist() == [0, 1, 2]
    labels = as_labels(array("i", [2, 0]))
    assert [labels.label(code) for code in labels.codes] == ["2", "0"]


def test_objects_with_array_protocol_are_read():
    class Tensor:
        def __array__(self, dtype=None, copy=None):
            return np.array([1, 0, 1])

    assert as_labels(Tensor()).codes.tolist() == [1, 0, 1]


def test_integer_arrays_are_not_copied():
    values = np.array([1, 0, 2])
    labels = as_labels(values)
    assert labels.codes is values
    assert labels.label(2) == "2"
    assert as_labels(np.array([-1, 4])).label(0) == "-1"


def test_labels_object_is_returned_unchanged():
    labels = as_labels([1, 2])
    assert as_labels(labels) is labels


def test_mapping_is_read_as_labels(answers):
    labels = as_labels({"d1": "x", 2: "y", "d3": None})
    assert answers(labels) == {(None, "d1"): {"x": 1.0}, (None, "2"): {"y": 1.0}, (None, "d3"): {}}
    assert not labels.complete


def test_mapping_with_weights_is_read(answers):
    labels = as_labels({"d1": {"x": 1, "y": 3}, "d2": "x", "d3": {}, "d4": None})
    assert answers(labels) == {
        (None, "d1"): {"x": 0.25, "y": 0.75},
        (None, "d2"): {"x": 1.0},
        (None, "d3"): {},
        (None, "d4"): {},
    }
    assert not as_labels({"d1": {"x": 5}, "d2": {"y": 0.1, "x": 0}}).weighted


def test_mapping_with_groups_is_read(answers):
    labels = as_labels({("w", 1): "x", ("v", 1): "y"})
    assert answers(labels) == {("w", "1"): {"x": 1.0}, ("v", "1"): {"y": 1.0}}


def test_invalid_mappings_are_refused():
    with refused("duplicate-item"):
        as_labels({1: "x", "1": "y"})
    with refused("bad-weight", "1", "'x'", "'d1'"):
        as_labels({"d1": {"x": -1}})
    with refused("bad-weight", "'a'", "'x'", "'d1'"):
        as_labels({"d1": {"x": "a"}})
    with refused("bad-weight", "'d1'", "0"):
        as_labels({"d1": {"x": 0, "y": 0}})
    with refused("broken-lines", "0"):
        as_labels({"d1": ["x"]})
    with refused("broken-lines", "0"):
        as_labels({"d1": ["x"], "d2": {"x": 1}})


def dense(labels, shape):
    """A matrix of weights, naively."""
    matrix = np.zeros(shape)
    for row in range(shape[0]):
        if labels.indptr is None:
            if labels.codes[row] >= 0:
                matrix[row, labels.codes[row]] = 1
        else:
            for at in range(labels.indptr[row], labels.indptr[row + 1]):
                matrix[row, labels.codes[at]] += labels.weights[at]
    return matrix


shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=5)
weights = st.sampled_from([0.0, 0.0, 1.0, 2.0, 0.25])


@given(hnp.arrays(np.float64, shapes, elements=weights))
def test_matrices_are_read_as_weights(matrix):
    sums = matrix.sum(axis=1, keepdims=True)
    expected = np.divide(matrix, sums, out=np.zeros_like(matrix), where=sums > 0)
    for source in (matrix, sparse.csr_array(matrix), sparse.coo_matrix(matrix)):
        labels = as_labels(source)
        assert len(labels) == len(matrix)
        assert labels.n_labels == matrix.shape[1]
        assert labels.weighted == bool(((matrix > 0).sum(axis=1) > 1).any())
        assert labels.complete == bool((sums > 0).all())
        assert labels.answered().tolist() == (sums[:, 0] > 0).tolist()
        np.testing.assert_allclose(dense(labels, matrix.shape), expected, rtol=1e-15)


def test_sparse_duplicates_are_summed_without_changing_source():
    matrix = sparse.coo_array(([1.0, 2.0, 1.0], ([0, 0, 0], [0, 0, 1])), shape=(2, 2))
    labels = as_labels(matrix)
    assert dense(labels, (2, 2)).tolist() == [[0.75, 0.25], [0, 0]]
    assert matrix.nnz == 3


def test_integer_and_boolean_matrices_are_read():
    assert as_labels(np.array([[True, False], [False, True]])).codes.tolist() == [0, 1]
    assert as_labels(np.array([[3, 1], [0, 1]])).weights.tolist() == [0.75, 0.25, 1.0]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("value", "text"), [(-1, "is negative"), (np.nan, "is not a number"), (np.inf, "is infinite")]
)
def test_matrices_with_invalid_weights_are_refused(kind, value, text):
    matrix = np.array([[0.5, 0.5], [1.0, value]])
    with refused("bad-weight"):
        as_labels(kind(matrix))


def test_single_column_matrix_holds_labels():
    assert set(as_labels(np.ones((3, 1))).codes.tolist()) == {1}
    labels = as_labels(np.array([[0], [1], [2], [1]]))
    assert [labels.label(code) for code in labels.codes] == ["0", "1", "2", "1"]
    with refused("unsupported-format", "3", "0"):
        as_labels(np.ones((3, 0)))


def test_unsupported_objects_are_refused_as_labels():
    with refused("unsupported-format"):
        as_labels(np.array([["a", "b"]]))
    with refused("unsupported-format", "3"):
        as_labels(np.zeros((2, 2, 2)))
    with refused("unsupported-format", "0"):
        as_labels(np.array(3))
    with refused("unsupported-format"):
        as_labels({"a", "b"})
    with refused("unsupported-format"):
        as_labels(5)
    with refused("unsupported-format"):
        as_labels(b"abc")
    with refused("broken-lines", "0"):
        as_labels([[0.5, 0.5]])


@pytest.mark.parametrize(
    "empty", [[], (), {}, np.array([]), np.empty((0, 2)), iter(()), sparse.csr_array((0, 2))]
)
def test_empty_labels_are_refused(empty):
    with refused("empty-input"):
        as_labels(empty)


def test_messages_name_the_side():
    with refused("empty-input"):
        as_labels([], gold=True)
    with refused("empty-input"):
        as_labels([], name="my labels")


def test_label_returns_name_of_code():
    labels = Labels(np.array([0, 1]), 3, ["a", "b"], made=1)
    assert [labels.label(code) for code in (0, 1, 2, -1)] == ["a", "b", *["(no answer)"] * 2]
