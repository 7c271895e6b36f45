"""The incident screen and the dialogs that belong to it."""
