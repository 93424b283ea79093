"""The command line (Q102). One module per group of commands; `main.app` holds them together."""
