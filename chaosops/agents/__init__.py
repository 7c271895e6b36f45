"""The policies, and the game loop that advances an episode."""
