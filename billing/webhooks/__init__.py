"""Events from the provider: received, stored, answered."""
