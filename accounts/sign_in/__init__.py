"""Signing in by a one-time code: codes, challenges, sessions, and the current account."""
