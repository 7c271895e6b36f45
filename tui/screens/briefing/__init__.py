"""The briefing screen."""
