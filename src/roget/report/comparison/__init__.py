"""The formats of a comparison of several systems, one module for each."""
