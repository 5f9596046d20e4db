"""Detect JSON by the first line of a file.

>>> [bool(JSON_START.match(line)) for line in ('{"item": 1}', '[{"item": 1}', "[1, 2]", "[CLS]")]
[True, True, True, False]
"""

from __future__ import annotations

import re

JSON_START = re.compile(r"""\s*[\[{]\s*(?:["'\[{}\]]|$|-?[\d.]+\s*,)""")
"""The first line of a file with JSON objects or arrays, rather than labels in brackets."""
