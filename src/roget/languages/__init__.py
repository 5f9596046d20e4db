"""What is particular to one language: the catalogue knows each by name, and none is imported."""
