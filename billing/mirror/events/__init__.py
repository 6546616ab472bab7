"""The events of the provider: webhooks, which are hints, and the feed, which has their contents."""
