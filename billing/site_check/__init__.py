"""Checks whether the provider's site is as the portal needs it (`manage.py check_site`)."""
