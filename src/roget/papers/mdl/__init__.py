"""Li & Abe 1996: Clustering words with the MDL principle."""
