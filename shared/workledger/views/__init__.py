"""What is derived from the ledger: rows, the order of lines, the claim."""
