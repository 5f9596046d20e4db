"""Find the language of a thesaurus in its provenance."""

from __future__ import annotations

import re

from roget import catalogue
from roget.learn.thesaurus import Thesaurus
from roget.report.options import is_language

UNKNOWN = "und"
"""Tag of an undetermined language."""


def find_language(thesaurus: Thesaurus) -> str | None:
    """Return the language tag of the imported file or of the corpus, or None if it is unknown."""
    reading = (thesaurus.counts.provenance.get("recipe") or {}).get("reading") or {}
    model = str(reading.get("model") or "")
    tag = thesaurus.provenance.get("language") or thesaurus.counts.provenance.get("language")
    if tag is None and model in catalogue.names("languages"):
        tag = getattr(catalogue.load("languages", model), "code", None)
    elif tag is None and (
        pipeline := re.match("([a-z]{2,3})_", model)
    ):  # The value is a spaCy model, e.g. en_core_web_sm.
        tag = pipeline[1]
    return tag if isinstance(tag, str) and is_language(tag) and tag != UNKNOWN else None
