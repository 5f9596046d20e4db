"""Recognise URLs, and mask secrets in them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_CREDENTIALS = re.compile(r"(://)[^\s/?#]*@")
_QUERY = re.compile(r"(://[^\s?'\"]*)\?[^\s'\"]*[^\s'\":;,)]")


def is_remote(path: str) -> bool:
    """Return True if an input name is a URL.

    >>> [is_remote(path) for path in ("s3://bucket/a.tsv", "a.tsv", "C:/a.tsv", "x=https://h/a")]
    [True, False, False, False]
    """
    return _ADDRESS.match(path) is not None


def name_part(path: str) -> str:
    """Return the path of an http(s) URL without the query. Return any other name unchanged.

    >>> name_part("https://example.org/gold.tsv.gz?download=1")
    '/gold.tsv.gz'
    """
    return urlsplit(path).path if path.lower().startswith(("https:", "http:")) else path


def show_address(text: str) -> str:
    """Mask the credentials and query strings of all URLs in a text, because they may be secret.

    >>> show_address("https://me:word@example.org/gold.tsv?token=abc: no such file")
    'https://…@example.org/gold.tsv?…: no such file'
    """
    return _QUERY.sub(r"\1?…", _CREDENTIALS.sub(r"\1…@", text)) if "://" in text else text
