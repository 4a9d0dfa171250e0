"""Fetches logs politely."""
