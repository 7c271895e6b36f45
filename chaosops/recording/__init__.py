"""The event log: what is written while an episode is played, and how it is read back."""
