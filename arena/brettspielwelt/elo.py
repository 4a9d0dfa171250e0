"""Elo of people."""
