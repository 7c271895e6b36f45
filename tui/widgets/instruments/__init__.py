"""Shows the parts of a reading, one module an instrument."""
