"""The post-mortem of a played incident: its facts, its charts, and the document."""
