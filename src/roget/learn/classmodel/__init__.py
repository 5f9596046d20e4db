"""Models of p(context|word) for sparse counts that back off from a word to its classes."""

from __future__ import annotations

from roget.learn.classmodel.estimator import ClassModel
from roget.learn.classmodel.recipes import RECIPES, ModelRecipe

__all__ = ["RECIPES", "ClassModel", "ModelRecipe"]
