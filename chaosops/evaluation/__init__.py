"""Adversaries, which try to cheat, and the gates that hold them off."""
