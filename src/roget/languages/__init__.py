"""Language-specific code. The catalogue loads each language by name; nothing imports them."""
