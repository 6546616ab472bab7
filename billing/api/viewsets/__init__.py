"""The endpoints, one topic per module."""
