"""Kernels for compiled code: numba flags, random numbers, lnΓ, eigenvectors, sparse rows."""
