"""Kernels shared by compiled code: numba flags, random numbers, lnΓ, eigenvectors, sparse rows."""
