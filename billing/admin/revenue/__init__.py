"""The revenue report in the admin."""
