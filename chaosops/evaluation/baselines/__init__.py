"""Baselines: what policies and simple answers score on a set of incidents."""
