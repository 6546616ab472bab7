"""What an account has subscribed to: its holdings, the plans as responses show them, and look-ups of one."""
