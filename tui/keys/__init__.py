"""Keys: what they are bound to, what they are called, and how a player changes them."""
