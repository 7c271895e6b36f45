"""The form that a person fills in to act: its fields, its state and its prefilled actions."""
