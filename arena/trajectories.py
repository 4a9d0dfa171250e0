"""Rounds as they were played: one compressed, streamable file."""
