"""The reward of a turn."""
