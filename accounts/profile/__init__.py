"""A subscriber's own data: profile, activity, export and erasure."""
