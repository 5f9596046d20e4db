"""`python -m roget`."""

from roget.cli import main

main()
