"""The builtin tools: the list of their modules."""
