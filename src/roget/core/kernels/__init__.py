"""What compiled code shares: how it is compiled, random numbers, lnΓ, eigenvectors, sparse rows."""
