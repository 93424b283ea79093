"""What the product does: one function per use case, over the ledger, the store and the clock."""
