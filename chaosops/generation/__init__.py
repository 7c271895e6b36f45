"""Makes situations without an author, and proves them before anybody sees them."""
