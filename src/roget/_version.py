"""The version number of roget. All other files read it from here."""

__version__ = "0.1.0"
