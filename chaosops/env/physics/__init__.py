"""What a fleet does in a minute, as small components with a state, a source and a test each."""
