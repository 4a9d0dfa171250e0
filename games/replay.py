"""A match or a round as a row of positions to step through."""
