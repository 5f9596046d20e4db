"""Prepositional phrases: do they belong to the verb or to its object?"""
