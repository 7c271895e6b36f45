"""Data sets for training, made from recordings."""
