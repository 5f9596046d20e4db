"""Fuzzing: damaged and hostile inputs for every reader, folder, import, option and route.

An input is a real one with a few random changes. They depend only on a seed and the number of the
input. It may be accepted, or refused with an error of `roget.errors`. Any other exception, a crash,
more than 20 seconds or more than a gigabyte of memory is a failure.
"""
