"""A trial on a test site: a subscriber's life, what it shows, and its recording."""
