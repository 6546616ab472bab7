"""Tests of how operators get in, over HTTP."""
