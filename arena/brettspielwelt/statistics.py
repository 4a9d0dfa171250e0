"""What people do: the figures of all imported rounds."""
