"""Runs in the database: opened, resumed, stored batch by batch."""
