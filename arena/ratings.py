"""Elo ratings of agents from all that they have played against each other."""
