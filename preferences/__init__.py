"""Email preferences: which optional emails a subscriber wants, and every change of that."""
