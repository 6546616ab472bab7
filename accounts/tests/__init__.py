"""Tests of accounts, over HTTP where possible."""
