"""Growing a thesaurus built by roget with new text."""
