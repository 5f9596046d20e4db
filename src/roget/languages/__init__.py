"""Language-specific code. The catalogue loads each language by name; no other module imports it."""
