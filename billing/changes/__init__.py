"""What billing does: one business command or reconciliation step each; the only writers."""
