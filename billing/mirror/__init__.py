"""The mirror of what Chargebee holds: its only writers, and the jobs that keep it up to date."""
