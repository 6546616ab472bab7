"""The durable engine of changes: a command is written down before its first step is sent."""
