"""Language-specific code. The catalogue loads each language by name, and no other module imports
it."""
