"""Growing of existing thesauri with new text."""
