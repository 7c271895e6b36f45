"""The event log of an episode: writing, reading, verifying and resuming it."""
