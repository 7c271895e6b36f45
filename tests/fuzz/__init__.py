"""Bursts of keys, clicks and sizes into every screen, by seed; `python -m tests.fuzz` runs them."""
