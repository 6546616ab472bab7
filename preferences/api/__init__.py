"""The API of the preferences."""
