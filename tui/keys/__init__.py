"""Keys: their bindings, their labels, and changing them."""
