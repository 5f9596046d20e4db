"""Example data: bundled samples, and data sets to download by name."""

from roget.core.quadruple import Quadruple
from roget.data.bundled import (
    BACKGROUNDS,
    PRIORS,
    QUADRUPLES,
    SAMPLES,
    background,
    is_sample,
    prior_path,
    sample,
    sample_path,
)
from roget.data.sets import DataSet, data_set, data_sets

__all__ = [
    "BACKGROUNDS",
    "PRIORS",
    "QUADRUPLES",
    "SAMPLES",
    "DataSet",
    "Quadruple",
    "background",
    "data_set",
    "data_sets",
    "is_sample",
    "prior_path",
    "sample",
    "sample_path",
]
