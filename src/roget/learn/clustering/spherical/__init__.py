"""Classes of words by the directions of their vectors, and a tree by merging them."""
