"""The screen that shows what an instrument showed."""
