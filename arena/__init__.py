"""Measuring and training agents."""
