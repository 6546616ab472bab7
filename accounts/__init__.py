"""Accounts: sign-in, sessions, profile, mail and brands."""
