"""The HTTP side of accounts."""
