"""What the benchmarks share: rows, servers, clients and settings."""
