"""Means with honest intervals."""
