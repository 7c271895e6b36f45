"""Who plays: the policies, and the one loop that advances an episode."""
