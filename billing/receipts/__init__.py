"""Receipts of changes and notices of upcoming charges, by mail and in the account's activity."""
