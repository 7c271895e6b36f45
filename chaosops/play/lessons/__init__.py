"""Lessons: a path of incidents, each with what to watch for and questions to ask."""
