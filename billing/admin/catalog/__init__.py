"""The provider's catalog, and what operators arrange of it."""
