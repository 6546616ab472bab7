"""Tests of operator sign-in, over HTTP."""
