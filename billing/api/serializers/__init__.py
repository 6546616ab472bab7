"""What the endpoints take and what they give."""
