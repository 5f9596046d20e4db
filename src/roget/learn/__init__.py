"""Build thesauri: read a corpus, extract and count relations, and cluster the words."""
