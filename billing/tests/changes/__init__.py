"""What billing's services do, shown on a live sandbox through the official SDK."""
