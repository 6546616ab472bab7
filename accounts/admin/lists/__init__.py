"""What every list of the admin shares: columns, filters, counts and CSV."""
