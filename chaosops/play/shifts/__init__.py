"""Shifts: several incidents on one fleet and one error budget."""
