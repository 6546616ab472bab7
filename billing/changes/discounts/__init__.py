"""What comes off a price: bundles, codes and free months."""
