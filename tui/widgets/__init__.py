"""The panes, one module each, named after what it shows."""
