"""Building of thesauri, from a corpus through relations, counts and clustering."""
