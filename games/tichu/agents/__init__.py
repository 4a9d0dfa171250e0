"""Programs that play Tichu."""
