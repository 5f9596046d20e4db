"""The models by name: which part the word's own counts play, what is backed off to.

Those through the classes of one clusterer have its name, and no entry here.
"""

from __future__ import annotations

from dataclasses import dataclass

from roget import catalogue


@dataclass(frozen=True)
class ModelRecipe:
    """What a model is made of.

    own: "discount", "interpolate" or "none": how the word's own counts come in.
    levels: how many discounts.
    base: "continuation" (in how many pairs a context was seen) or "unigram" (how often).
    families: the kinds of classes between the two, see `families.py`.
    says: what it is, in a line.
    """

    own: str
    levels: int
    base: str
    families: tuple[str, ...]
    says: str


def _through(says: str, *families: str) -> ModelRecipe:
    return ModelRecipe("discount", 3, "continuation", families, says)


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
    """The recipe of a name; words are predicted through the classes of any clusterer."""
    found = catalogue.load("models", name)
    if isinstance(found, ModelRecipe):
        return found
    return _through(f"Kneser–Ney through {found.makes or f'classes of the clusterer {name}'}", name)
