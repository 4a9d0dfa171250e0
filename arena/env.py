"""The rules as a PettingZoo environment."""
