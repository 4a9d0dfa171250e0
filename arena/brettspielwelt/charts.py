"""Charts of imported games."""
