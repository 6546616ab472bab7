"""Mail to subscribers: the outbox, how a message is rendered, and who wants which kind."""
