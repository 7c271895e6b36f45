"""A game without a screen: seats, turns, the action form, coaching, debriefs and replays."""
