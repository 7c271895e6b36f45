"""The debrief screen and its rating dialog."""
