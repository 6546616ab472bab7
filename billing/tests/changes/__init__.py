"""Tests of the changes of a subscription, against a live sandbox through the official SDK."""
