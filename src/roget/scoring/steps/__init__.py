"""Optional steps of the scoring pipeline. The steps never import the pipeline."""
