"""The REST API: wire models, problems, permissions, the resolver that ties routes to them."""
