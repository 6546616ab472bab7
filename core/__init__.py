"""The ground that every app stands on: it imports Django alone."""
