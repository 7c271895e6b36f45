"""What a scenario file may say, and how one is read."""
