"""The widgets, by family."""
