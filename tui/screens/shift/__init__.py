"""The screens of a shift: its setup, what is told between two incidents, and its end."""
