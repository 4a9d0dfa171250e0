"""Agents that learn: networks, and what they are trained by."""
