"""Adversaries that try to win without the skill that the game teaches, one module each."""
