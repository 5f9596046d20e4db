"""Fuzzing: damaged and hostile inputs for every reader, folder, import, option and route.

An input is made of a real one by a few random changes, which a seed and a number tell: the same two
always give the same bytes. It may be accepted, or refused by one of the errors in `roget.errors`;
any other exception, a crash, more than 20 seconds or a gigabyte of memory is a failure.
"""
