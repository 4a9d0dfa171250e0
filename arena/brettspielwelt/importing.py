"""Logs into the database."""
