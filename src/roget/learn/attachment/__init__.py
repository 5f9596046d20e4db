"""Attachment of prepositional phrases to the verb or to its object."""
