"""Tables and figures of the papers that roget comes from, made again: `roget reproduce`.

A reproduction is a function of `Options` that gives a `Reproduced` (see `reproduction.py`), a small
module in the package of its paper; the first line of its docstring says what it is.
"""
