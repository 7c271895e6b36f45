"""What keeps the incidents honest: ways to cheat, and the gates that none of them may pass."""
