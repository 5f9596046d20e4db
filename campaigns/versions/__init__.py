"""Run a smoke set of commands with the lowest and the newest versions of all dependencies."""
