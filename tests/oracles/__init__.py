"""Slow and obvious answers that the tests compare the rooms with; they share no code with what they check."""
