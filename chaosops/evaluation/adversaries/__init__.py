"""Those who try to win without the skill that the game is about, one module each."""
