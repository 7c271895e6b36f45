"""Checks of incident files beyond the shape of their fields, one module per kind."""
