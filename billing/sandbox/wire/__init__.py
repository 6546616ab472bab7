"""What travels between a client and the sandbox, as the provider's API reference describes it."""
