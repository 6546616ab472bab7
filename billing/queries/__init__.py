"""Read-only queries of the mirror. Each starts from one account; none writes or calls the provider."""
