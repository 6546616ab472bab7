"""Brands: the site's settings, the brand of a host name, and uploaded pictures."""
