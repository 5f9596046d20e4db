"""Options of SymmetricAnnealing."""

from roget.learn.clustering.annealing.options import AnnealingOptions

OPTIONS = AnnealingOptions
