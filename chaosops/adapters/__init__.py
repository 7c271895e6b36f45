"""Adapters: the game as other programs want it."""
