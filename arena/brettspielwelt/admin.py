"""Games, players and statistics in the admin."""
