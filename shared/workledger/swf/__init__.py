"""The Amazon SWF service: what each operation does, over the ledger, the store and the clock."""
