"""`python -m benchmarks`: compare speed and memory with other libraries (`make bench`)."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from harness.command import main

main()
