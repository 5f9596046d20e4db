"""p(context|word) where counts are few: the word's own counts, its classes, and all words."""

from __future__ import annotations

from roget.learn.classmodel.estimator import ClassModel
from roget.learn.classmodel.recipes import RECIPES, ModelRecipe

__all__ = ["RECIPES", "ClassModel", "ModelRecipe"]
