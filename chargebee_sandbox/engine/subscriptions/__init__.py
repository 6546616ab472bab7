"""A subscription's life: activation, terms, changes, pauses and cancellation."""
