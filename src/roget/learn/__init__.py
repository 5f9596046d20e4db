"""Building thesauri: corpus → relations → counts → clustering → thesaurus."""
