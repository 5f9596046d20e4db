"""Tools for compiled kernels: numba flags, random numbers, lnΓ, eigenvectors, sparse rows."""
