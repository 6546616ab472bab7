"""The billing engine: what happens to subscriptions, invoices, and payments as the site's clock moves."""
