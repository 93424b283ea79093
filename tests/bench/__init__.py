"""How fast, and at what cost: `make bench` prints one table. Times are shown, never asserted."""
