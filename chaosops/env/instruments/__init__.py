"""Instruments: one module per source, each with the readings of any service."""
