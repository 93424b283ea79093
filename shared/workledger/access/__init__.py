"""Access: tokens, their owners and roles. Pure."""
