"""Language-specific code, loaded by the catalogue. No other module imports a language."""
