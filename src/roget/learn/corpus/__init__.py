"""Reading text: every reader turns its input into `Tokens`, from which relations are drawn."""
