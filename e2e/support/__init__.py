"""Helpers of the browser tests: a running portal, page actions, screen states, accessibility checks."""
