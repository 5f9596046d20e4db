"""Reproductions of the tables and figures of the papers behind roget: `roget reproduce`.

A reproduction is a function from `ReproduceOptions` to a `Reproduced` (see `reproduction.py`), in
a module of the package of its paper. The first line of its docstring is its description.
"""
