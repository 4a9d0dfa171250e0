"""Plays what a log says by the rules, and says what is wrong with it."""
