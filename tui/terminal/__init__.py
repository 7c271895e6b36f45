"""The terminal under the game: its input, its signals and its title."""
