"""Tests of the preferences, over HTTP where there is HTTP."""
