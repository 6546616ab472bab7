"""Billing's parts of the desk: searches and panels, the account page and its timeline."""
