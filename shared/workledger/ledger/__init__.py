"""The append-only ledger: commits, their stored form, and the one loop that writes them."""
