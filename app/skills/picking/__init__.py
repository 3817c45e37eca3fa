"""Which of the things that a person has they mean: read from what they say, chosen among what there is."""
