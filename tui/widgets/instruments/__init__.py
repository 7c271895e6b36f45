"""Views of the parts of a reading, one module per kind."""
