"""Work queues (Botream): pure rules of queues, items, references, runs."""
