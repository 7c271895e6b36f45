"""The screen for readings."""
