"""Shifts without a screen."""
