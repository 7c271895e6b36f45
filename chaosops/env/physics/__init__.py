"""The physics of a fleet: small components, each with its state, its source and its test."""
