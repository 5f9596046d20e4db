"""Options for `SymmetricAnnealing`."""

from roget.learn.clustering.annealing.options import AnnealingOptions

OPTIONS = AnnealingOptions
