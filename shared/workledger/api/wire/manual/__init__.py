"""Manual tasks on the wire: tasks, loads, hits, assignments, business processes."""
