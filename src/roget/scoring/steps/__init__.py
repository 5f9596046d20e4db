"""Optional steps of the scoring pipeline; none of them imports the pipeline."""
