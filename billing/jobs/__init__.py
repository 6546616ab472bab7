"""Scheduled jobs, hourly and nightly, and the recovery of work that was left unfinished."""
