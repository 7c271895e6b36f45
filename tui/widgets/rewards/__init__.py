"""The reward log and the detail of a turn."""
