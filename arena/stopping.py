"""When a run may end before its time."""
