"""Optional steps of the scoring pipeline, which never import the pipeline."""
