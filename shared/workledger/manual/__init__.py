"""Use cases of manual tasks and business processes, on the ledger, the store and the clock."""
