"""Draws the documents a subscriber files: pure functions from plain data to PDF bytes, no network, no database."""
