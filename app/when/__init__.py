"""What people say about time, read by a closed grammar, and told back in full. Pure: no clock, no I/O."""
