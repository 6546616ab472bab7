"""The servers that fault tests start, break and slow."""
