"""Where commits and rows are kept: one port, two stores, a wrapper that injects faults."""
