"""What a running service tells whoever watches it: figures at /metrics, and a trace for each turn."""
