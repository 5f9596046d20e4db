"""Several clusterings of the same items, none of them gold: how far they agree, and on what."""
