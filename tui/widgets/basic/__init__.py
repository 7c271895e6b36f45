"""Widgets that are independent of the game."""
