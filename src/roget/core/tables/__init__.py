"""Files of pairs that other tools wrote: their layout, their faults, and what they say as SQL."""
