"""What a run has shown, as text and as JSON."""
