"""Benchmarks: speed and memory beside other libraries, cost against size, what fell behind.

Modules of benchmarks/ take from `measuring` how to measure, and from `script` their command line;
`suite` finds and runs them, `record` keeps their ratios, `growth` fits how cost grows, `report` and
`pages` tell of it.
"""
