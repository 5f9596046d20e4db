"""Li, Titov & Sporleder 2014: Improved estimation of entropy for evaluation of word senses."""
