"""Tests of the email preferences, over HTTP where possible."""
