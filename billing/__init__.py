"""What a subscriber has and pays."""
