"""Who wishes that nothing is taken away."""
