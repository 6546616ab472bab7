"""Tests of accounts, over HTTP where there is HTTP."""
