"""Serializers of requests and responses."""
