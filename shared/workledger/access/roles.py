"""The roles a token can have. What each may do is `api.permissions`' table."""

ROLES = ("viewer", "operator", "worker", "requester", "adjudicator", "developer", "admin")
