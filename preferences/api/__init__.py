"""The HTTP side of the preferences."""
