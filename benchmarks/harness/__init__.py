"""Run benchmarks of speed and memory against other libraries, and detect regressions.

`measuring` measures time and memory, `script` is the command line of a single benchmark, `suite`
finds and runs all benchmarks, `record` stores their ratios, `growth` fits curves of cost against
size, and `report` and `pages` write the results.
"""
