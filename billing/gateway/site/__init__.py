"""The provider's site as a whole: what it tells about itself, and what a trial on a test site asks of it."""
