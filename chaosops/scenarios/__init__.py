"""The format of scenario files, and reading them."""
