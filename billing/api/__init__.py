"""The HTTP API: each view validates the input, makes one call into billing, and renders its result."""
