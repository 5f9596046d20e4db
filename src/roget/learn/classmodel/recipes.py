"""Recipes for the named class models.

A recipe defines how the counts of a word itself are used and to which classes the model backs off.
A model named after a clusterer backs off to the classes of that clusterer and needs no recipe.
"""

from __future__ import annotations

from dataclasses import dataclass

from roget import catalogue


@dataclass(frozen=True)
class ModelRecipe:
    """The components of a class model.

    own: use of the word's own counts: "discount", "interpolate" or "none".
    levels: number of discounts.
    base: "continuation" (number of pairs a context occurs in) or "unigram" (its count).
    families: families of classes to back off to first, see `families.py`.
    summary: one-line description.
    """

    own: str
    levels: int
    base: str
    families: tuple[str, ...]
    summary: str


def _through(summary: str, *families: str) -> ModelRecipe:
    """Return a Kneser–Ney recipe that backs off to families of classes."""
    return ModelRecipe("discount", 3, "continuation", families, summary)


RECIPES: dict[str, ModelRecipe] = {
    "unigram": ModelRecipe(
        "none", 0, "unigram", (), "relative frequency of the context over all words"
    ),
    "mle": ModelRecipe(
        "interpolate",
        0,
        "unigram",
        (),
        "relative frequency for the word, interpolated with the unigram",
    ),
    "absolute": ModelRecipe(
        "discount", 1, "unigram", (), "absolute discounting, backing off to the unigram"
    ),
    "kneser-ney": ModelRecipe(
        "discount",
        3,
        "continuation",
        (),
        "modified Kneser–Ney with three discounts and continuation counts",
    ),
    "nmf": _through(
        "Kneser–Ney with classes by non-negative factorisation (Kullback–Leibler)", "nmf"
    ),
    "lda": _through("Kneser–Ney with classes by latent Dirichlet allocation", "lda"),
    "nearest": _through("Kneser–Ney with the nearest neighbours of each word", "nearest"),
    "roget": _through(
        f"Kneser–Ney with classes by {' and '.join(catalogue.TOGETHER['roget'])} combined",
        *catalogue.TOGETHER["roget"],
    ),
    "all": _through("Kneser–Ney with all families of classes together", *catalogue.TOGETHER["all"]),
}


def recipe(name: str) -> ModelRecipe:
    """Return the recipe of a model. A model named after a clusterer backs off to its classes."""
    found = catalogue.load("models", name)
    if isinstance(found, ModelRecipe):
        return found
    return _through(f"Kneser–Ney with {found.makes or f'classes of the clusterer {name}'}", name)
