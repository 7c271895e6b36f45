"""The game as lines of text on standard input and output: for screen readers, pipes, slow links.

The same session as in the terminal game, and no Textual.
"""

from tui.plain.entry_points import home, play, replay, resume, shift

__all__ = ["home", "play", "replay", "resume", "shift"]
