"""An agent under observation: whatever it does, the round goes on, and what it does is counted and timed."""
