"""The header and the lines around the board."""
