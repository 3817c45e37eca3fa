"""Messages about what was just done: what they ask of it, or want to become of it."""
