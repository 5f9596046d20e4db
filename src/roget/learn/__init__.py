"""From a corpus to a thesaurus: corpus → relations → counts → clustering → classes."""
