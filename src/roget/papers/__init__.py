"""Reproductions of tables and figures from the papers that roget implements (`roget reproduce`).

Each paper has a package, and each reproduction has a module in this package. The module contains a
function that takes `ReproduceOptions` and returns a `Reproduced` (see `reproduction.py`). The first
line of its docstring is the description that users see.
"""
