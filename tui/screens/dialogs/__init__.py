"""Dialogs that several screens open."""
