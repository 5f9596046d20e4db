"""What SymmetricAnnealing can be asked for."""

from roget.learn.clustering.annealing.options import AnnealingOptions

OPTIONS = AnnealingOptions
