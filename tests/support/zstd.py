"""Compress with the Zstandard library that roget decompresses with."""

from __future__ import annotations

from roget.core.io.source import import_zstd

compress = import_zstd().compress
