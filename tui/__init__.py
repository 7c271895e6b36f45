"""The terminal game: a Textual app over the frames of `chaosops`."""
