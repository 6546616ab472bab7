"""HTTP in, one call, JSON out."""
