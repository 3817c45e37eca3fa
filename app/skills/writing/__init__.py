"""Texts that a person wants written in their name: how they ask for one, and what it is to say."""
