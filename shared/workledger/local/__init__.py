"""The deployed system on one machine: template.yaml's functions in one process, on any store."""
