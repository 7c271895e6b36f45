"""The panes of the debrief."""
