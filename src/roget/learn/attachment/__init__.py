"""Decide whether prepositional phrases attach to the verb or to its object."""
