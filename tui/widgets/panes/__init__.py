"""The panes of a role's view, and the board that lays them out."""
