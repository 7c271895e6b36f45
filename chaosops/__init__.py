"""ChaosOps: an incident-response game on a small, honest simulator of production outages."""
