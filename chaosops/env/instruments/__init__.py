"""Instruments: what each source of a look shows, for the healthy and the sick alike."""
