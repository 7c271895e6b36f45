"""The list of recordings."""
