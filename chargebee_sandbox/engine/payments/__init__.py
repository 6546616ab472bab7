"""Payment sources, intents, the gateway, and collection."""
