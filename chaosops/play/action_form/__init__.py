"""The form that a person fills in to act: its fields, its state, what it is prefilled with."""
