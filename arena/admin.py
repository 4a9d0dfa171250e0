"""Runs and the ladder in the admin."""
