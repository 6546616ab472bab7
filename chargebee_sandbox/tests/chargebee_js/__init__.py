"""A merchant's page with card fields and PayPal, served to a real browser under the portal's policy."""
