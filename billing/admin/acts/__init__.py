"""What operators do on an account with its subscriptions and payments: the changes that subscribers make."""
