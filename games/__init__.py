"""Games: their rules, matches and agents."""
