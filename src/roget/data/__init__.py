"""Data to start with: bundled samples, and larger sets fetched by name."""

from roget.core.quadruple import Quadruple
from roget.data.bundled import SAMPLES, bundled_counts, sample, sample_path
from roget.data.sets import DataSet, data_set, data_sets

__all__ = [
    "SAMPLES",
    "DataSet",
    "Quadruple",
    "bundled_counts",
    "data_set",
    "data_sets",
    "sample",
    "sample_path",
]
