"""Models by name: the role of the word's own counts, and what they back off to.

Models through the classes of one clusterer have its name and no entry here.
"""

from __future__ import annotations

from dataclasses import dataclass

from roget import catalogue


@dataclass(frozen=True)
class ModelRecipe:
    """The components of a model.

    own: "discount", "interpolate" or "none": how the word's own counts are used.
    levels: number of discounts.
    base: "continuation" (number of pairs a context occurs in) or "unigram" (its count).
    families: kinds of classes in between, see `families.py`.
    summary: description in one line.
    """

    own: str
    levels: int
    base: str
    families: tuple[str, ...]
    summary: str


def _through(summary: str, *families: str) -> ModelRecipe:
    return ModelRecipe("discount", 3, "continuation", families, summary)


RECIPES: dict[str, ModelRecipe] = {
    "unigram": ModelRecipe("none", 0, "unigram", (), "how often a context is seen with any word"),
    "mle": ModelRecipe(
        "interpolate", 0, "unigram", (), "the word's relative frequencies, mixed with the unigram"
    ),
    "absolute": ModelRecipe("discount", 1, "unigram", (), "one discount, then the unigram"),
    "kneser-ney": ModelRecipe(
        "discount", 3, "continuation", (), "three discounts, then continuation counts"
    ),
    "nmf": _through("Kneser–Ney through non-negative factors under Kullback–Leibler", "nmf"),
    "lda": _through("Kneser–Ney through latent Dirichlet allocation", "lda"),
    "nearest": _through("Kneser–Ney through the nearest words", "nearest"),
    "roget": _through(
        f"Kneser–Ney through both {' and '.join(catalogue.TOGETHER['roget'])} classes",
        *catalogue.TOGETHER["roget"],
    ),
    "all": _through("Kneser–Ney through every kind above together", *catalogue.TOGETHER["all"]),
}


def recipe(name: str) -> ModelRecipe:
    """Return the recipe of a name; the name of a clusterer predicts through its classes."""
    found = catalogue.load("models", name)
    if isinstance(found, ModelRecipe):
        return found
    return _through(f"Kneser–Ney through {found.makes or f'classes of the clusterer {name}'}", name)
