"""Thousands of rounds in lock-step."""
