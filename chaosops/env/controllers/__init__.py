"""Automation agents as controllers, which act on the fleet every minute by a typed policy."""
