"""Widgets that know nothing of the game."""
