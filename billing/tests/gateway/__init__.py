"""Tests of the gateway: its requests, and its handling of answers."""
