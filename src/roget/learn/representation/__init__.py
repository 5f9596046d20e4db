"""What words are compared by: vectors from their counts, background counts and prior vectors."""
