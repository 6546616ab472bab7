"""Answers from the mirror: they start from one account, never write and never call out."""
