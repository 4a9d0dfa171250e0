"""Logs in files, folders and zips."""
