"""Subscriptions, payments and invoices, mirrored from Chargebee."""
