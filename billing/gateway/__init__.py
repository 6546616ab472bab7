"""The only package that calls Chargebee. Takes and returns dataclasses, and translates errors."""
