"""A run: its batches in their order, until it is over or decided."""
