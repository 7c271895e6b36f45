"""What a turn pays."""
