"""What comes from files: sources and their bytes, tables, DuckDB."""
