"""The portal's middleware."""
