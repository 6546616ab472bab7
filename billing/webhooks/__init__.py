"""The endpoint that receives the provider's events."""
