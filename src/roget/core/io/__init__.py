"""Input and output: files, remote files, tables and DuckDB."""
