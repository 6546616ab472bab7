"""Resuming paused subscriptions when their pause ends."""
