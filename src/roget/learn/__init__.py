"""Build thesauri: read a corpus, extract relations, count them, and cluster the words."""
