"""What is wrong with an incident file beyond the shape of its fields, one module a kind."""
