"""The gateway: what it sends, and what it makes of every answer."""
