"""The explorer: a thesaurus as a page, served on this machine or written as one file."""
