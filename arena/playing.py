"""Plays a batch of a job: pairs of deals or of matches, from both sides."""
