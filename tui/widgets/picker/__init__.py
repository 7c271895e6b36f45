"""The action picker."""
