"""Games that people played on the Brettspielwelt server, from its logs (docs/brettspielwelt.md)."""
