"""Invoices, credit notes, prices, coupons, and balances."""
