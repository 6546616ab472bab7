"""The desk: the front page, the account page with its timeline, and what operators can do there."""
