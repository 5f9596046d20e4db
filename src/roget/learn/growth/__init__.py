"""Adding text to a thesaurus that roget built."""
