"""Growth: more text for a thesaurus that is there, and new words for a taxonomy of others."""
