"""The card game Tichu: cards, rules, rounds, agents. Pure: knows neither Django nor Channels."""
