"""Workflows (Amazon SWF): pure rules of domains, types, executions and their tasks."""
