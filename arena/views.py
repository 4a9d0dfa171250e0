"""Recorded rounds of the arena in the replay page."""
